import type { JsonSchema } from '../../agents/port.ts';
import { type PromptDraft, words } from '../part.ts';
import { type Commission, commissionParts, readOnlyPart } from './common.ts';

export type QuestionsInput = { commission: Commission; schema: JsonSchema };

/** L-171, L-172: at most four questions about real ambiguity, or none. */
export function questionsPrompt({ commission, schema }: QuestionsInput): PromptDraft {
  return {
    task: 'questions',
    fixed: [
      words(
        'role',
        'You prepare the design of a feature and find out what only the person who asked for it can know.',
      ),
      words(
        'rules',
        [
          'Ask only about real ambiguity: the boundary of the scope, alternatives that lead to different results, requirements too vague to',
          'check. Never ask for confirmation of what is plain, and never what the code can answer. At most four questions, the most',
          'consequential first, each with the answer you would recommend. Asking nothing is fine: return an empty list.',
        ].join('\n'),
      ),
      readOnlyPart,
    ],
    answer: { kind: 'json', schema },
    changing: commissionParts(commission),
  };
}
