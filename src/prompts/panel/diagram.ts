import type { JsonSchema } from '../../agents/port.ts';
import { data, type PromptDraft, words } from '../part.ts';
import { bullets } from './common.ts';

export type DiagramInput = { plan: string; schema: JsonSchema };

/** L-741, L-761: one mermaid diagram of the architecture in the final plan. */
export function diagramPrompt({ plan, schema }: DiagramInput): PromptDraft {
  return {
    task: 'diagram',
    fixed: [
      words(
        'role',
        'You draw the architecture of a plan as one mermaid diagram: modules, their boundaries and relations. Not the flow at run ' +
          'time. Choose the diagram type that shows it best and keep it to what a reader takes in at one look.',
      ),
      words(
        'syntax',
        bullets([
          'Put a node label that contains | or brackets in double quotes.',
          'No HTML break and no $ in the alias of a participant or actor; put detail into notes.',
          '<br/> inside a flowchart label is fine; other HTML, links, click and %%{…}%% are not.',
          'Only names that occur in the plan.',
        ]),
      ),
    ],
    answer: { kind: 'json', schema },
    changing: [data('plan', plan, { heading: 'The plan' })],
  };
}
