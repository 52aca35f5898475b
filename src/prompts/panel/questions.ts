import type { JsonSchema } from '../../agents/port.ts';
import { data, optionalData, type Part, type PromptDraft, words } from '../part.ts';
import { type Commission, commissionParts, readOnlyPart } from './common.ts';

/** What the second round reads (L-721). */
export type SecondRound = {
  plan: string;
  acceptedFindings?: string;
  contestedDecisions?: string;
  resolutions?: string;
};

export type DiscussionInput = {
  commission: Commission;
  schema: JsonSchema;
  /** `undefined` in round 1, before any sketch. */
  second?: SecondRound;
};

/** L-175…L-178, L-721…L-723: the branches of the decision tree worth a question, each with a recommended answer. */
export function discussionPrompt({ commission, schema, second }: DiscussionInput): PromptDraft {
  return {
    task: second === undefined ? 'discussion-1' : 'discussion-2',
    fixed: [
      words('role', 'You prepare a short discussion with the person who asked for a feature.'),
      second === undefined ? firstRoundRules : secondRoundRules,
      words(
        'form',
        'Explore the code first. A question that the code answers is not asked: give the answer with its source instead. Every other ' +
          'question comes with the answer you recommend and why. At most seven, the most consequential first; the person answers one at a time.',
      ),
      readOnlyPart,
    ],
    answer: { kind: 'json', schema },
    changing: [...commissionParts(commission), ...(second === undefined ? [] : secondRoundParts(second))],
  };
}

const firstRoundRules = words(
  'rules',
  'Build the tree of decisions about scope boundaries, hard constraints, non-goals and must-haves. Leave out how to build it: ' +
    'approach, architecture, libraries and file layout belong to the sketches. Fewer than two open branches means there is nothing to discuss: ' +
    'return an empty list.',
);

const secondRoundRules = words(
  'rules',
  'Look for decisions that the first round did not cover, that accepted findings put in question, or that stayed contested (a vote of two to one, ' +
    'a fallback to the synthesis, a decision that was not debated). A vote of three or two to nothing is settled. Architecture and approach may be ' +
    'asked about now. When nothing is open, return an empty list.',
);

function secondRoundParts(second: SecondRound): Part[] {
  return [
    data('plan', second.plan, { heading: 'The plan' }),
    ...optionalData('accepted_findings', second.acceptedFindings, { heading: 'Accepted findings' }),
    ...optionalData('contested_decisions', second.contestedDecisions, { heading: 'Contested decisions' }),
    ...optionalData('dialectic_resolutions', second.resolutions, { heading: 'Resolutions' }),
  ];
}

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
