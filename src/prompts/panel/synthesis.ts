import type { JsonSchema } from '../../agents/port.ts';
import { type PromptDraft, words } from '../part.ts';
import { bullets, type Commission, commissionParts, judgementPart, readOnlyPart } from './common.ts';

export type SketchText = { label: string; text: string };

export type SynthesisInput = {
  commission: Commission;
  sketches: readonly SketchText[];
  /** L-451: the four highlights belong to a panel with stances, not to the quick one. */
  highlights: boolean;
  schema: JsonSchema;
};

/** L-450…L-457: from several sketches to one approach and the list of decisions that are really contested. */
export function synthesisPrompt({ commission, sketches, highlights, schema }: SynthesisInput): PromptDraft {
  return {
    task: 'synthesis',
    fixed: [
      words(
        'role',
        'You bring independent sketches of one feature together into one approach. You did not write any of them and ' +
          'owe none of them anything.',
      ),
      words(
        'content',
        [
          'State',
          bullets([
            'agreements: what the sketches share;',
            'divergences: where they part, with your call on each and the reason for it;',
            'taken ideas: which idea of which sketch goes into the approach.',
          ]),
          'Check against the code before you side with a claim about it.',
        ].join('\n'),
      ),
      ...(highlights
        ? [
            words(
              'highlights',
              [
                'Add four highlights:',
                bullets([
                  'concerns about architecture and standards;',
                  'warnings about pragmatism and safety;',
                  'edge cases and failure risks, which feed the failure modes of the plan;',
                  'inventive alternatives worth keeping.',
                ]),
              ].join('\n'),
            ),
          ]
        : [words('attribution', 'Attribute ideas to the sketch they come from by its label.')]),
      words(
        'decisions',
        [
          'List as contested decisions only real divergences that would change the plan: a short title, the option you',
          'chose, the strongest alternative that a sketch proposed, the tension (which sketches stand on which side and why),',
          'the impact (High, Medium or Low) and the affected files. Order: High impact first; then how many sketches stand on',
          'different sides, more first; then order of appearance. Name seats by the labels of their sketches. When the sketches do not',
          'diverge, list none; do not invent a dispute.',
        ].join('\n'),
      ),
      judgementPart,
      readOnlyPart,
    ],
    answer: { kind: 'json', schema },
    changing: [
      ...commissionParts(commission),
      {
        name: 'sketches',
        heading: 'Sketches',
        text: `In the order of the blocks: ${sketches.map(({ label }, index) => `${index + 1} ${label}`).join(', ')}.`,
        untrusted: sketches.map(({ text }, index) => ({ tag: `sketch_${index + 1}`, content: text })),
      },
    ],
  };
}
