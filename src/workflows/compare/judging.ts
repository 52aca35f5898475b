import type { Comparison, ComparisonChoice, Plan } from '../../base/schema/judgements/plan.ts';
import { attributionWords, stripAttribution } from '../../council/ballots.ts';
import type { GroundingReport } from '../../plan/grounding/grounding.ts';
import { renderPlan } from '../../plan/plan-text.ts';

export type Candidate = { id: string; family: string };

export type Bench = {
  judges: Candidate[];
  /** False: every model here is of an author's family, so an author's relative judges. */
  independent: boolean;
};

const mostJudges = 3;

/**
 * Who judges two plans: one agent of every family that wrote neither of them. Where there is none, one of an author's
 * family, and the report says so. The agent without a model never judges.
 */
export function benchFor(agents: readonly Candidate[], authorFamilies: readonly string[]): Bench {
  const models = agents.filter(({ family }) => family !== 'static');
  const others = models.filter(({ family }) => !authorFamilies.includes(family));
  const [first] = models;
  if (others.length === 0) return { judges: first === undefined ? [] : [first], independent: false };
  const judges = others.filter(
    ({ family }, index) => others.findIndex((other) => other.family === family) === index,
  );
  return { judges: judges.slice(0, mostJudges), independent: true };
}

/**
 * A plan as judges see it: without names of agents and seats, and without what only a panel leaves behind (decided points,
 * dissent, ids of findings), so that nothing tells which one a panel wrote.
 */
export function blindPlan(
  plan: Plan,
  { feature, seats }: { feature: string; seats: readonly string[] },
): string {
  const text = renderPlan({ ...plan, decisions: [] });
  const words = [...attributionWords, ...seats.filter((label) => label.includes('-'))];
  return stripAttribution(text, { words, neutral: feature, loose: true })
    .replace(/\b(?:DECISION|FINDING|OOS)_\d+\b/g, 'the decision')
    .replace(/\b(?:the|our) (?:panel|jury|reviewers|voters)\b/gi, 'we');
}

export type Side = 'solo' | 'panel';
export type Preference = Side | 'tie';

/** What one judge said: `forward` with the solo plan as A, `backward` with the panel's plan as A. */
export type JudgeSheet = { judge: string; family: string; forward?: Comparison; backward?: Comparison };

export type JudgeVerdict = {
  judge: string;
  family: string;
  /** Missing: the judge did not answer in both orders, so the order may have decided. */
  verdict?: Preference;
  /** False: the choice changed with the order, which makes it a tie. */
  consistent?: boolean;
  reasons: string[];
};

/** One judge's verdict: the same plan in both orders, else a tie. */
export function verdictOf({ judge, family, forward, backward }: JudgeSheet): JudgeVerdict {
  const reasons = [forward?.reason, backward?.reason].filter((reason) => reason !== undefined);
  if (forward === undefined || backward === undefined) return { judge, family, reasons };
  const [first, second] = [sideOf(forward.better, 'solo', 'panel'), sideOf(backward.better, 'panel', 'solo')];
  const consistent = first === second;
  return { judge, family, verdict: consistent ? first : 'tie', consistent, reasons };
}

function sideOf(choice: ComparisonChoice, a: Side, b: Side): Preference {
  return choice === 'TIE' ? 'tie' : choice === 'A' ? a : b;
}

/** The verdict on a task: more judges for one side than for the other, else a tie; missing when no judge gave a verdict. */
export function taskVerdict(verdicts: readonly JudgeVerdict[]): Preference | undefined {
  const given = verdicts.flatMap(({ verdict }) => verdict ?? []);
  if (given.length === 0) return undefined;
  const votes = (side: Side) => given.filter((verdict) => verdict === side).length;
  const lead = votes('panel') - votes('solo');
  return lead > 0 ? 'panel' : lead < 0 ? 'solo' : 'tie';
}

/** Criteria, by number, that a side meets: most judges who answered in both orders said so both times. */
export function coveredCriteria(sheets: readonly JudgeSheet[], side: Side, count: number): number[] {
  const complete = sheets.flatMap(({ forward, backward }) =>
    forward === undefined || backward === undefined
      ? []
      : [
          side === 'solo'
            ? [forward.coveredByA, backward.coveredByB]
            : [forward.coveredByB, backward.coveredByA],
        ],
  );
  return Array.from({ length: count }, (_, index) => index + 1).filter((number) => {
    const agreeing = complete.filter((lists) => lists.every((list) => list.includes(number)));
    return agreeing.length * 2 > complete.length;
  });
}

/** Below this a result says nothing about other tasks. */
export const anecdotalBelow = 10;

export type Standing = {
  panel: number;
  solo: number;
  ties: number;
  /** Tasks without a verdict. */
  undecided: number;
  anecdotal: boolean;
  /** Two-sided sign test over the tasks that one side won; absent when it would only look like knowledge. */
  p?: number;
};

export function standingOf(verdicts: readonly (Preference | undefined)[]): Standing {
  const count = (wanted: Preference | undefined) => verdicts.filter((verdict) => verdict === wanted).length;
  const [panel, solo, ties, undecided] = [count('panel'), count('solo'), count('tie'), count(undefined)];
  const anecdotal = panel + solo + ties < anecdotalBelow;
  return {
    panel,
    solo,
    ties,
    undecided,
    anecdotal,
    ...(anecdotal ? {} : { p: signTest(panel, solo) }),
  };
}

/** How likely a split at least this uneven is when both sides are equally good. */
export function signTest(wins: number, losses: number): number {
  const [total, most] = [wins + losses, Math.max(wins, losses)];
  // Summed from the tail inward; terms are made from one another, so that nothing overflows.
  let term = 0.5 ** total;
  let tail = 0;
  for (let successes = total; successes >= most; successes -= 1) {
    tail += term;
    term = (term * successes) / (total - successes + 1);
  }
  return Math.min(1, 2 * tail);
}

/** How far a plan holds and reaches, counted by the program; shares are `[part, whole]`. */
export type Coverage = {
  /** Claims about the repository (files, symbols, commands, tests, citations) that hold at the base commit. */
  grounded: [held: number, claims: number];
  /** Errors and warnings of the plan check. */
  errors: number;
  warnings: number;
  files: number;
  tests: number;
  /** Files of the task that the plan touches. */
  expectedFiles: [touched: number, named: number];
  /** Criteria of the task that the judges see met. */
  criteria: [met: number, named: number];
  /** Findings of the review: raised, and accepted into the plan. */
  findings: [accepted: number, raised: number];
};

const claims = ['file', 'symbol', 'command', 'tests', 'citation'];

export function coverageOf(
  plan: Plan,
  report: GroundingReport,
  review: { raised: number; accepted: number },
  task: { files: readonly string[]; criteria: readonly string[]; met: number },
): Coverage {
  const facts = report.facts.filter(({ check, result }) => claims.includes(check) && result !== 'unchecked');
  const touched = new Set([...plan.files, ...plan.tests].map(({ path }) => path));
  return {
    grounded: [facts.filter(({ severity }) => severity === 'none').length, facts.length],
    errors: report.errors,
    warnings: report.warnings,
    files: plan.files.length,
    tests: plan.tests.length,
    expectedFiles: [task.files.filter((file) => touched.has(file)).length, task.files.length],
    criteria: [task.met, task.criteria.length],
    findings: [review.accepted, review.raised],
  };
}
