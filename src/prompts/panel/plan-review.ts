import type { JsonSchema } from '../../agents/port.ts';
import type { FocusArea } from '../../base/schema/judgements/review.ts';
import { data, optionalData, type PromptDraft, words } from '../part.ts';
import { bullets, type Commission, commissionParts, effortPart, readOnlyPart } from './common.ts';
import { type StanceChoice, stancePart } from './sketch.ts';

export type MergeFindingsInput = {
  /** Every finding with its id, rendered one after the other. */
  findings: string;
  schema: JsonSchema;
};

/** L-592, L-593, panel/C-32: which findings are the same problem. The answer is checked to name every id exactly once. */
export function mergeFindingsPrompt({ findings, schema }: MergeFindingsInput): PromptDraft {
  return {
    task: 'merge-findings',
    fixed: [
      words('role', 'You group review findings that describe the same problem. You judge none of them.'),
      words(
        'rules',
        [
          'Read concern, scenario and suggested revision of each and group by meaning. Two findings belong together only if fixing one',
          'fixes the other. The same place or similar words are not enough; different words for one problem are.',
          'Every id appears in exactly one group; a finding without a partner is a group of one. Drop nothing, rewrite nothing.',
          'In-scope and out-of-scope findings may share a group; it then counts as in scope.',
        ].join('\n'),
      ),
    ],
    answer: { kind: 'json', schema },
    changing: [data('findings', findings, { heading: 'Findings' })],
  };
}

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

/** L-585: what a finding can be about. */
export const focusAreas = {
  'code-quality': 'clarity, duplication, names, tests, conventions',
  'risk-integration': 'what breaks elsewhere, migration, rollout, compatibility',
  correctness: 'logic, edge cases, error handling, wrong facts about the code',
  architecture: 'boundaries, dependencies, ownership of data',
  security: 'trust boundaries, secrets, injection, permissions',
} as const satisfies Record<FocusArea, string>;

export type PlanReviewInput = StanceChoice & {
  commission: Commission;
  plan: string;
  /** panel/C-04: where a reviewer that reads files finds the plan. */
  planPath?: string;
  /** L-562: voted resolutions that the plan must follow. */
  resolutions?: string;
  /** panel/C-03: whether the notice about points is given. */
  competition: boolean;
  schema: JsonSchema;
  maximumEffort?: boolean;
};

/** L-584…L-587: one reviewer's findings on the plan, checked against the repository. */
export function planReviewPrompt(input: PlanReviewInput): PromptDraft {
  const { commission, plan, planPath, resolutions, competition, schema, maximumEffort } = input;
  return {
    task: 'plan-review',
    fixed: [
      words(
        'role',
        'You review an implementation plan against the real code of this repository. You report; you do not edit.',
      ),
      ...stancePart(input, 'review'),
      words(
        'scope',
        'The plan describes the state after it is carried out. A defect of the present code that the plan already removes is ' +
          'not a finding. Open the files the plan names and check its claims before you object.',
      ),
      words(
        'focus',
        `Walk all five focus areas, one after the other, whatever your stance. Give every finding one of them:\n${bullets(Object.entries(focusAreas).map(([area, about]) => `${area}: ${about}`))}`,
      ),
      words(
        'findings',
        [
          'A finding has a title, a focus area, a severity, the concern (what goes wrong, when, for whom) and the revision of the plan that you suggest,',
          'and cites the code or the plan section it rests on, code as repository-relative path:from-to.',
          'What deserves attention but does not belong to this change is out of scope: mark it so. Nothing to report is a good answer:',
          'return an empty list (in plain text exactly NO_ISSUES_FOUND), never filler.',
        ].join('\n'),
      ),
      ...(competition ? [competitionNotice] : []),
      readOnlyPart,
      ...effortPart(maximumEffort),
    ],
    answer: { kind: 'json', schema },
    changing: [
      ...commissionParts(commission, 'reviewer_'),
      data('reviewer_plan', plan, {
        heading: 'The plan',
        ...(planPath === undefined ? {} : { text: `Also in the file ${planPath}.` }),
      }),
      ...optionalData('reviewer_voted_resolutions', resolutions, {
        heading: 'Voted resolutions',
        text: 'The panel voted on these decisions. Check that the files and steps of the plan follow each one; a plan that departs from one is a finding.',
      }),
    ],
  };
}

/** L-586. */
const competitionNotice = words(
  'competition',
  'Findings are voted on. An accepted finding scores +1, a neutral or exonerated one 0, a unanimously dismissed one -1; ' +
    'out-of-scope items can only gain. Few findings that hold beat many that do not.',
);
