import type { JsonSchema } from '../../agents/port.ts';
import { data, optionalData, type Part, type PromptDraft, request, words } from '../part.ts';

export type RepairInput = {
  /** The task whose answer is repaired. */
  task: string;
  /** What the check complained about, in our own words. */
  problems: readonly string[];
  answer: string;
  /** The question, when the answer has the right form and lacks something. */
  question?: string;
  schema: JsonSchema;
};

const mostAnswerCharacters = 60_000;
const maxQuestionCharacters = 120_000;

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
      ...optionalData('question', question, { heading: 'What was asked', limit: maxQuestionCharacters }),
      data('earlier_answer', answer, { heading: 'The answer', limit: mostAnswerCharacters }),
    ],
  };
}

/** What the panel was asked to design, as every task of the run sees it. */
export type Commission = {
  description: string;
  /** panel/C-06: answers to the clarifying questions. */
  clarifications?: string;
  /** L-180: what the user decided in the scope discussion. */
  discussion?: string;
  /** L-175: questions of that discussion that an agent answered from the code. */
  answeredByCode?: string;
  /** The project's design context, already packed under its budget. */
  brief?: string;
  /** What a search of the repository without a model found. */
  evidence?: string;
};

/** L-208: description, answers and settled scope travel together, the part that changes least first. */
export function commissionParts(commission: Commission, tagPrefix = ''): Part[] {
  return [
    ...optionalData(`${tagPrefix}project_brief`, commission.brief, { heading: 'Project brief' }),
    ...request('feature', commission.description, { heading: 'Feature' }),
    ...request('clarifications', commission.clarifications, {
      heading: 'Clarifications',
      text: 'Answers already given; treat them as part of the feature.',
    }),
    ...request('discussion', commission.discussion, {
      heading: 'Settled scope',
      text: 'Decisions already taken about scope and hard constraints. They are final.',
    }),
    ...optionalData(`${tagPrefix}answered_by_code`, commission.answeredByCode, {
      heading: 'Answered by the code',
    }),
    ...optionalData(`${tagPrefix}repository_search`, commission.evidence, {
      heading: 'Found by a search of the repository',
    }),
  ];
}

export const readOnlyPart = words(
  'read-only',
  'Read whatever you need in the repository. Change nothing: no edits, no new files, no commits, no installs.',
);

/** L-207: only seats whose agent takes an effort hint from its prompt get this part. */
export function effortPart(maximum: boolean | undefined): Part[] {
  return maximum === true
    ? [words('effort', 'Use the deepest reasoning you have. Thoroughness counts here, speed does not.')]
    : [];
}

/** L-050: the five questions that keep synthesis and plan from drifting. */
export const judgementPart = words(
  'judgement',
  [
    'Before you write, answer for yourself:',
    '1. What is the smallest change that reaches the goal?',
    '2. Where are you most at risk of keeping an idea only because it came first?',
    '3. Which constraints has nobody mentioned: who else parses this output, what does CI pin, which file is the only',
    '   source of a fact, which text has to stay identical byte for byte?',
    '4. Which trade-offs belong to the person who asked (scope, hard constraints), and which are yours (architecture)?',
    '5. What does this project forbid that applies here?',
  ].join('\n'),
);

/** Text of a table row, or a clear failure for an unknown row. */
export const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');
