import type { JsonSchema } from '../../agents/port.ts';
import type { FocusArea } from '../../base/schema/judgements/review.ts';
import { data, optionalData, type Part, type PromptDraft, words } from '../part.ts';
import { bullets, type Commission, commissionParts, effortPart, readOnlyPart } from './common.ts';
import { type Stance, stances } from './stances.ts';

/** L-585: what a finding can be about. */
export const focusAreas = {
  'code-quality': 'clarity, duplication, names, tests, conventions',
  'risk-integration': 'what breaks elsewhere, migration, rollout, compatibility',
  correctness: 'logic, edge cases, error handling, wrong facts about the code',
  architecture: 'boundaries, dependencies, ownership of data',
  security: 'trust boundaries, secrets, injection, permissions',
} as const satisfies Record<FocusArea, string>;

export type PlanReviewInput = {
  commission: Commission;
  stance: Stance;
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
  const { commission, stance, plan, planPath, resolutions, competition, schema, maximumEffort } = input;
  return {
    task: 'plan-review',
    fixed: [
      words(
        'role',
        'You review an implementation plan against the real code of this repository. You report; you do not edit.',
      ),
      ...stancePart(stance),
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

function stancePart(stance: Stance): Part[] {
  const { title, review } = stances[stance];
  return review === '' ? [] : [words(`stance-${stance}`, `Your stance: ${title}. ${review}`)];
}
