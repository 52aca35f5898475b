import type { JsonSchema } from '../../agents/port.ts';
import { data, optionalData, type PromptDraft, words } from '../part.ts';

export type RepairInput = {
  /** The task whose answer is repaired. */
  task: string;
  /** What the check complained about, in our own words. */
  problems: readonly string[];
  answer: string;
  /** What was asked, when the answer has the right form and lacks something. */
  question?: string;
  schema: JsonSchema;
};

const mostAnswerCharacters = 60_000;
const mostQuestionCharacters = 120_000;

/** The one repair turn: same content, right form. */
export function repairPrompt({ task, problems, answer, question, schema }: RepairInput): PromptDraft {
  return {
    task: 'repair',
    fixed: [
      words(
        'role',
        'An answer could not be used because of its form. Give it again in the right form. Keep its content: add no new ' +
          'judgement and drop none; what is truly missing you supply from the same material.',
      ),
    ],
    answer: { kind: 'json', schema },
    changing: [
      data('problems', problems.map((problem) => `- ${problem}`).join('\n'), {
        heading: `What was wrong with the answer to the task ${task}`,
      }),
      ...optionalData('question', question, { heading: 'What was asked', limit: mostQuestionCharacters }),
      data('earlier_answer', answer, { heading: 'The answer', limit: mostAnswerCharacters }),
    ],
  };
}
