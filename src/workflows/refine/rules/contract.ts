import type { Dimension, Profile } from './profiles.ts';
import { criterionScore, type JudgedCriterion, stateOf } from './score.ts';

/** The state of a criterion for the next evaluator, without any reason. */
export type CriterionState = 'new' | 'passed' | 'failed' | 'refined';

export type Criterion = {
  id: string;
  dimension: string;
  criterion: string;
  verification: string;
  state: CriterionState;
  /** From a document of the project, word for word. */
  quoted: boolean;
};

export type Scenario = { id: string; description: string; tool: string; command: string | null };

/** The agreement of one run between two iterations. */
export type Contract = {
  id: string;
  criteria: Criterion[];
  scenarios: Scenario[];
  negotiation: {
    round: number;
    by: 'builder' | 'evaluator';
    verdict: 'proposed' | 'agreed' | 'amended';
    criteria: number;
  }[];
};

export type ProposedCriterion = { criterion: string; dimension: string; verification: string };

const mostCriteria = 60;

/** Always one criterion per dimension; then those of the documents; then the negotiated ones. */
export function openContract(
  id: string,
  profile: Profile,
  fromDocuments: readonly string[],
  proposed: readonly ProposedCriterion[] = [],
  earlier: readonly Pick<Criterion, 'id' | 'criterion' | 'state'>[] = [],
): Contract {
  const completeness =
    profile.dimensions.find((dimension) => dimension.id === 'completeness') ?? profile.dimensions[0];
  const known = new Set(profile.dimensions.map((dimension) => dimension.id));
  const criteria = [
    ...profile.dimensions.map((dimension) => ({ ...standing(dimension), quoted: false })),
    ...fromDocuments.map((criterion) => ({
      dimension: completeness?.id ?? '',
      criterion,
      verification: 'inspect the artifact',
      quoted: true,
    })),
    ...proposed
      .filter(({ dimension }) => known.has(dimension))
      .map(({ dimension, criterion, verification }) => ({
        dimension,
        criterion,
        verification,
        quoted: false,
      })),
  ]
    .slice(0, mostCriteria)
    .map(
      (each, index): Criterion => ({ id: `C-${String(index + 1).padStart(2, '0')}`, ...each, state: 'new' }),
    );
  return { id, criteria: criteria.map((each) => carried(each, earlier)), scenarios: [], negotiation: [] };
}

function standing({ id, title, about }: Dimension): Omit<ProposedCriterion, never> {
  return { dimension: id, criterion: `${title}: ${about}`, verification: 'by the anchors of the dimension' };
}

/** A criterion that an earlier run ended with keeps its state: what passed is a baseline. */
function carried(
  criterion: Criterion,
  earlier: readonly Pick<Criterion, 'criterion' | 'state'>[],
): Criterion {
  const known = earlier.find((each) => each.criterion === criterion.criterion);
  return known === undefined ? criterion : { ...criterion, state: known.state };
}

/** The contract after an evaluation. What had passed and does not any more is a regression. */
export function settleContract(
  contract: Contract,
  profile: Profile,
  judged: readonly JudgedCriterion[],
): { contract: Contract; regressions: string[] } {
  const regressions: string[] = [];
  const criteria = contract.criteria.map((criterion) => {
    const found = judged.find(({ id }) => id === criterion.id);
    if (found === undefined) return criterion;
    const state = stateOf(criterionScore(profile, found.checks));
    if (criterion.state === 'passed' && state !== 'passed') regressions.push(criterion.id);
    return { ...criterion, state };
  });
  return { contract: { ...contract, criteria }, regressions };
}

const statusOf: Readonly<Record<CriterionState, 'pending' | 'passed' | 'failed'>> = {
  new: 'pending',
  refined: 'pending',
  passed: 'passed',
  failed: 'failed',
};

/** `sprint-N.json`: what the coming iteration is held to. */
export function sprintFile(
  contract: Contract,
  profile: Profile,
  {
    iteration,
    priority,
    threshold,
    createdAt,
    documents,
  }: {
    iteration: number;
    priority: string;
    threshold: number;
    createdAt: string;
    documents: readonly unknown[];
  },
) {
  return {
    schemaVersion: 1,
    sprint_id: `${contract.id}-${iteration}`,
    iteration,
    priority_dimension: priority,
    acceptance_checklist: contract.criteria.map(({ id, criterion, verification, dimension, state }) => ({
      id,
      criterion,
      verification,
      dimension,
      status: statusOf[state],
    })),
    test_scenarios: contract.scenarios,
    pass_conditions: {
      total: threshold,
      ...Object.fromEntries(profile.dimensions.map(({ id, target }) => [id, target])),
    },
    // The part of each document that the builder saw; judges ignore the rest.
    documents,
    negotiation_history: contract.negotiation,
    created_at: createdAt,
  };
}

/** The dimension to work on first: the one that scored lowest, at the beginning the weightiest. */
export function priorityOf(
  profile: Profile,
  scores: readonly { dimension: string; score: number }[],
): string {
  const [lowest] = [...scores].sort((a, b) => a.score - b.score);
  const [weightiest] = [...profile.dimensions].sort((a, b) => b.weight - a.weight);
  return lowest?.dimension ?? weightiest?.id ?? '';
}

/** Acceptance criteria of a design document, as far as the builder was shown it: list items below that heading. */
export function criteriaOfDocument(text: string): string[] {
  const found: string[] = [];
  let inside = false;
  for (const line of text.split(/\r?\n/)) {
    const heading = /^ {0,3}#{1,6} +(.*)$/.exec(line)?.[1];
    if (heading !== undefined) inside = /^acceptance criteria\b/i.test(heading.trim());
    const item = inside
      ? /^ {0,3}(?:[-*+]|\d+[.)]) +(?:\[[ xX]\] +)?(.+)$/.exec(line)?.[1]?.trim()
      : undefined;
    if (item !== undefined && !item.includes('_TBD_')) found.push(item.slice(0, 400));
  }
  return found.slice(0, 30);
}
