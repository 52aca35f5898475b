import type { JsonSchema } from '../../agents/port.ts';
import { type Part, type PromptDraft, words } from '../part.ts';
import { type Commission, commissionParts, effortPart, readOnlyPart } from './common.ts';
import { type Stance, stances } from './stances.ts';

export type SketchInput = {
  commission: Commission;
  stance: Stance;
  schema: JsonSchema;
  maximumEffort?: boolean;
};

/** L-207: an approach in outline, by one seat, before anybody has seen another's. */
export function sketchPrompt({ commission, stance, schema, maximumEffort }: SketchInput): PromptDraft {
  return {
    task: 'sketch',
    fixed: [
      words(
        'role',
        'You sketch an approach to a feature of this repository. Others sketch the same feature without seeing yours; ' +
          'a synthesis follows. Take a position of your own.',
      ),
      ...stancePart(stance),
      words(
        'content',
        [
          'Explore the code first. Then write two or three paragraphs that cover',
          '1. the architectural decisions that matter and why you take them this way,',
          '2. the files and modules to change or add, each with its reason,',
          '3. the trade-offs and risks.',
          'Cite code as path:line where a claim rests on it. Stay at the level of approach: no finished code, no task list.',
        ].join('\n'),
      ),
      readOnlyPart,
      ...effortPart(maximumEffort),
    ],
    answer: { kind: 'json', schema },
    changing: commissionParts(commission),
  };
}

function stancePart(stance: Stance): Part[] {
  const { title, sketch } = stances[stance];
  return sketch === '' ? [] : [words(`stance-${stance}`, `Your stance: ${title}. ${sketch}`)];
}
