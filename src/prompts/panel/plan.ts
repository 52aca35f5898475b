import type { JsonSchema } from '../../agents/port.ts';
import type { FocusArea } from '../../base/schema/judgements/review.ts';
import { data, optionalData, type PromptDraft, request, words } from '../part.ts';
import {
  bullets,
  type Commission,
  commissionParts,
  effortPart,
  judgementPart,
  readOnlyPart,
} from './common.ts';
import { type StanceChoice, stancePart } from './sketch.ts';

export type RevisePlanInput = {
  commission: Commission;
  plan: string;
  /** Findings voted in, with their ids. */
  accepted?: string;
  /** L-725: what the user decided in the second discussion, or wants changed. */
  decisions?: string;
  /** Questions of that discussion that an agent answered from the code. */
  answeredByCode?: string;
  /** L-562: voted resolutions that the plan must follow. */
  resolutions?: string;
  /** What the check of the plan against the repository complained about. */
  problems?: string;
  schema: JsonSchema;
};

/** L-690, L-698: the plan again, with every accepted finding worked in and traceable. */
export function revisePlanPrompt(input: RevisePlanInput): PromptDraft {
  const { commission, plan, accepted, decisions, answeredByCode, resolutions, problems, schema } = input;
  return {
    task: 'revise-plan',
    fixed: [
      words(
        'role',
        'You revise an implementation plan. What was accepted goes in; what nobody questioned stays as it is.',
      ),
      words(
        'rules',
        [
          'Return the whole plan with the same sections:',
          bullets(planSections),
          'Work in every accepted finding and say for each, by its id, how the plan changed. If two of them conflict, keep the plan',
          'consistent and say so in both. Add nothing that was not accepted.',
          'The plan keeps following every voted resolution and says how, by the id of its decision. Where an accepted finding overrides',
          'a resolution, say so there with the id of the finding.',
        ].join('\n'),
      ),
      readOnlyPart,
    ],
    answer: { kind: 'json', schema },
    changing: [
      ...commissionParts(commission),
      data('plan', plan, { heading: 'The plan' }),
      ...optionalData('accepted_findings', accepted, { heading: 'Accepted findings' }),
      ...optionalData('voted_resolutions', resolutions, { heading: 'Voted resolutions' }),
      ...request('decisions', decisions, {
        heading: 'What the user decided',
        text: 'Work this into the plan.',
      }),
      ...optionalData('plan_answered_by_code', answeredByCode, {
        heading: 'Answered by the code for the plan',
      }),
      ...optionalData('problems', problems, { heading: 'Problems found by checking the plan' }),
    ],
  };
}

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

export type PlanInput = {
  commission: Commission;
  /** Absent for a single author who plans without sketches. */
  synthesis?: string;
  /** `dialectic-resolutions.md`; empty when nothing was contested. */
  resolutions?: string;
  /** False: votes of the dialectic are advice. */
  binding?: boolean;
  schema: JsonSchema;
};

/** L-563: the sections of a plan, in order. */
export const planSections = [
  'Files to modify/create: every path with a short description of its change',
  'Approach: strategy, decisions, trade-offs',
  'Edge cases',
  'Failure modes: for anything beyond a cosmetic or documentation change the three likeliest systemic failures, each with its ' +
    'earliest warning sign and its simplest mitigation',
  'Testing strategy',
] as const;

/** L-560…L-563: the implementation plan. */
export function planPrompt({
  commission,
  synthesis,
  resolutions,
  binding = true,
  schema,
}: PlanInput): PromptDraft {
  return {
    task: 'plan',
    fixed: [
      words(
        'role',
        'You write the implementation plan of a feature. Explore the code and read the conventions of the project before you write; ' +
          'others will carry the plan out without being able to ask you.',
      ),
      words('sections', `The plan has these sections:\n${bullets(planSections)}`),
      words(
        'inputs',
        [
          'The synthesis shapes the plan. Settled scope says what is in, what must not break and what is not wanted.',
          'Resolutions of contested decisions count by their disposition:',
          bullets([
            binding
              ? 'voted: follow the resolution, refer to the decision by its id, say how the concern of the losing side is handled, never override it;'
              : 'voted: advice; refer to the decision by its id and follow the resolution, or say what speaks against it;',
            'fallback-to-synthesis, bucket-skipped, over-cap: the synthesis stands; mention the reason in a few words and do not pretend ' +
              'that a counter-argument was heard.',
          ]),
          'Name only files that exist or that the plan creates. Cite code as path:line where a step depends on it.',
        ].join('\n'),
      ),
      judgementPart,
      readOnlyPart,
    ],
    answer: { kind: 'json', schema },
    changing: [
      ...commissionParts(commission),
      ...(synthesis === undefined ? [] : [data('approach_synthesis', synthesis, { heading: 'Synthesis' })]),
      ...optionalData('dialectic_resolutions', resolutions, { heading: 'Resolutions' }),
    ],
  };
}

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
