import type { JsonSchema } from '../../agents/port.ts';
import { data, type PromptDraft, words } from '../part.ts';
import { bullets, type Commission, commissionParts, effortPart, readOnlyPart } from './common.ts';

/** L-643: the author votes as the scrupulous reviewer, the others decide like the engineer who has to build it. */
const voterRoles = {
  reviewer:
    'You are a senior reviewer on a panel that votes on changes to an implementation plan. Be scrupulous: YES only for what is ' +
    'correct, important and worth revising the plan for.',
  engineer:
    'You are the senior engineer who has to build this, and you vote on which changes to the plan to accept.',
} as const;

const withExoneration = [
  'Proportion decides: a legitimate concern whose fix costs more complexity than the concern deserves is EXONERATE. In doubt',
  'between YES and EXONERATE choose EXONERATE.',
  'For an OOS item: YES if the problem deserves a tracked issue, NO if it is not worth tracking, EXONERATE if it is',
  'legitimate but needs no issue.',
];

const withoutExoneration = [
  'Proportion decides: a legitimate concern whose fix costs more complexity than the concern deserves is NO. In doubt say NO.',
  'For an OOS item: YES if the problem deserves a tracked issue, else NO.',
];

export type VoterRole = keyof typeof voterRoles;

export type VoteInput = {
  voter: VoterRole;
  commission: Commission;
  plan: string;
  /** panel/C-34: findings under neutral ids, without their proposers. */
  ballot: string;
  /** Whether there is a third vote. */
  exonerate?: boolean;
  schema: JsonSchema;
  maximumEffort?: boolean;
};

/** L-635…L-637, L-643: one vote per ballot item. */
export function votePrompt({
  voter,
  commission,
  plan,
  ballot,
  exonerate = true,
  schema,
  maximumEffort,
}: VoteInput): PromptDraft {
  return {
    task: 'vote',
    fixed: [
      words(`role-${voter}`, voterRoles[voter]),
      words(
        'rules',
        [
          'For a FINDING:',
          bullets([
            'YES: correct, important, worth revising the plan;',
            'NO: wrong, trivial, a duplicate or harmful;',
            ...(exonerate ? ['EXONERATE: legitimate, but not worth doing here.'] : []),
          ]),
          ...(exonerate ? withExoneration : withoutExoneration),
          'Vote on the problem; a remedy you dislike is no reason for NO. Nothing out of scope is built now.',
          'Check claims about the code before you vote. Vote exactly once on every item, with one short reason.',
        ].join('\n'),
      ),
      readOnlyPart,
      ...effortPart(maximumEffort),
    ],
    answer: { kind: 'json', schema },
    changing: [
      ...commissionParts(commission),
      data('plan', plan, { heading: 'The plan' }),
      data('ballot', ballot, { heading: 'Ballot' }),
    ],
  };
}
