import { CharretteError } from '../../../base/errors.ts';
import { type CodeReview, codeSeverities } from '../../../base/schema/judgements/lite.ts';
import type { LiteTask } from '../../../base/schema/lite/plan.ts';

export type TestOutcome = 'PASS' | 'FAIL' | 'UNKNOWN';

export type CriterionState = {
  task: string;
  title: string;
  criterion: string;
  state: 'met' | 'unmet' | 'unverified';
  evidence: string;
};

/** P-155: what a review says about every criterion; one it leaves out, or one without evidence, is not verified. */
export function criteriaStates(tasks: readonly LiteTask[], review: CodeReview | undefined): CriterionState[] {
  return tasks.flatMap(({ id, title, convergence }) =>
    convergence.criteria.map((criterion, index) => {
      const said = review?.criteria.find(({ task_id, number }) => task_id === id && number === index + 1);
      const evidence = said?.evidence ?? '';
      const state =
        said === undefined ? 'unverified' : !said.met ? 'unmet' : evidence === '' ? 'unverified' : 'met';
      return { task: id, title, criterion, state, evidence };
    }),
  );
}

/** `NOT VERIFIED`: no review; never a pass. */
export type Convergence = 'PASS' | 'PARTIAL' | 'FAIL' | 'NOT VERIFIED';

export function convergenceOf(
  states: readonly CriterionState[],
  tests: TestOutcome,
  reviewed: boolean,
): Convergence {
  if (tests === 'FAIL') return 'FAIL';
  if (!reviewed) return 'NOT VERIFIED';
  const met = states.filter(({ state }) => state === 'met').length;
  if (met === 0) return 'FAIL';
  return met === states.length ? 'PASS' : 'PARTIAL';
}

/**
 * Why the answers of the chosen reviewers do not count as a review; `undefined` when they do. One reviewer must answer. Of several at
 * least two must, and from two families where two were chosen.
 */
export function reviewShortfall(
  chosen: readonly { id: string; family: string }[],
  missing: ReadonlyMap<string, string>,
): string | undefined {
  const answered = chosen.filter(({ id }) => !missing.has(id));
  const enough =
    answered.length >= Math.min(2, chosen.length) && familiesOf(answered) >= Math.min(2, familiesOf(chosen));
  if (enough) return undefined;
  const reasons = [...missing].map(([id, reason]) => `${id}: ${reason}`).join('; ');
  return `${answered.length} of ${chosen.length} requested reviews arrived (${reasons})`;
}

const familiesOf = (agents: readonly { family: string }[]) =>
  new Set(agents.map(({ family }) => family)).size;

export type CodeVerdict = 'PASS' | 'WARN' | 'FAIL' | 'NOT VERIFIED';

/** P-152: the verdict on the code itself. Findings of too few reviewers count against it; their silence does not count for it. */
export function codeVerdict(review: Pick<CodeReview, 'findings'> | undefined, enough = true): CodeVerdict {
  const has = (...severities: string[]) =>
    review?.findings.some(({ severity }) => severities.includes(severity)) === true;
  if (has('Critical', 'High')) return 'FAIL';
  if (review === undefined || !enough) return 'NOT VERIFIED';
  return has('Medium') ? 'WARN' : 'PASS';
}

/** Why a result is not merged and not done; empty when it is. `unchanged`: tasks whose executor changed no file. */
export function rejections(result: {
  failed: Iterable<string>;
  lost: ReadonlyMap<string, string>;
  unchanged: Iterable<string>;
  shortfall?: string | undefined;
  convergence: Convergence;
  code: CodeVerdict;
}): string[] {
  const { failed, lost, unchanged, shortfall, convergence, code } = result;
  return [
    ...[...failed].map((id) => `${id} failed`),
    ...[...lost].map(([id, missing]) => `${id} was skipped because ${missing} is missing`),
    // Nothing was to be changed when a review finds every criterion met.
    ...(convergence === 'PASS' ? [] : [...unchanged].map((id) => `${id} changed no file`)),
    ...(shortfall === undefined ? [] : [shortfall]),
    ...(convergence === 'FAIL' || convergence === 'PARTIAL' ? [`convergence is ${convergence}`] : []),
    ...(code === 'FAIL' ? ['the code review found problems'] : []),
  ];
}

/** What a fix round has to deal with; nothing when there is nothing to fix. */
export function fixesNeeded(
  states: readonly CriterionState[],
  review: CodeReview | undefined,
  tests: { outcome: TestOutcome; output: string },
): string[] {
  return [
    ...(tests.outcome === 'FAIL' ? [`The tests fail:\n${tests.output}`] : []),
    ...states
      .filter(({ state }) => state === 'unmet')
      .map(
        ({ task, criterion, evidence }) =>
          `${task}: not met: ${criterion}${evidence === '' ? '' : ` (${evidence})`}`,
      ),
    ...(review?.findings ?? [])
      .filter(({ severity }) => severity === 'Critical' || severity === 'High')
      .map(
        ({ severity, file, line, description, fix }) =>
          `${severity} ${file}:${line}: ${description} Fix: ${fix}`,
      ),
  ];
}

const mostReviewers = 3;

/**
 * Who reviews: `skip` selects none, `agent` the first agent that can judge, `panel` all of them up to three; names are those named.
 * A missing reviewer is an error, so call this before any work starts.
 */
export function reviewersOf(review: string, able: readonly string[]): string[] {
  if (review === 'skip') return [];
  const wanted =
    review === 'panel'
      ? able.slice(0, mostReviewers)
      : review === 'agent'
        ? able.slice(0, 1)
        : [...new Set(review.split(',').map((name) => name.trim()))];
  const missing = wanted.length === 0 ? [review] : wanted.filter((name) => !able.includes(name));
  if (missing.length === 0) return wanted;
  throw new CharretteError({
    code: 'agent-not-found',
    message: `${missing.join(', ')} cannot review here; agents that can: ${able.join(', ') || 'none'}.`,
    fix: 'Choose another with --review, or --review skip.',
  });
}

export type PanelVoice = { reviewer: string; review: CodeReview };

type Finding = CodeReview['findings'][number];

/**
 * Several reviews as one. A finding at the same place is one finding, with the gravest severity and the names of those who
 * made it; a criterion is met when more than half of the voices say so with evidence.
 */
export function mergeReviews(voices: readonly PanelVoice[]): CodeReview | undefined {
  const [only, ...others] = voices;
  if (only === undefined) return undefined;
  if (others.length === 0) return only.review;
  return {
    summary: voices.map(({ reviewer, review }) => `${reviewer}: ${review.summary}`).join('\n'),
    findings: mergeFindings(voices),
    criteria: mergeCriteria(voices),
  };
}

function mergeFindings(voices: readonly PanelVoice[]): Finding[] {
  const said = voices.flatMap(({ reviewer, review }) =>
    review.findings.map((finding) => ({ reviewer, finding })),
  );
  const places = Map.groupBy(said, ({ finding }) => `${finding.file}:${finding.line}`);
  const merged = [...places.values()].map((group): Finding => {
    const ranked = group.toSorted((a, b) => rank(a.finding) - rank(b.finding));
    const [gravest] = ranked;
    const names = [...new Set(group.map(({ reviewer }) => reviewer))].join(', ');
    const texts = [...new Set(ranked.map(({ finding }) => finding.description))].join(' / ');
    const finding = gravest?.finding as Finding;
    return { ...finding, description: `${texts} (${names})`.slice(0, 4000) };
  });
  return merged.toSorted((a, b) => rank(a) - rank(b)).slice(0, 100);
}

const rank = ({ severity }: Finding) => codeSeverities.indexOf(severity);

function mergeCriteria(voices: readonly PanelVoice[]): CodeReview['criteria'] {
  const all = voices.flatMap(({ reviewer, review }) =>
    review.criteria.map((criterion) => ({ reviewer, criterion })),
  );
  const groups = Map.groupBy(all, ({ criterion }) => `${criterion.task_id}#${criterion.number}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const backed = group.filter(({ criterion }) => criterion.met && (criterion.evidence ?? '') !== '');
    const met = backed.length * 2 > voices.length;
    const evidence = (met ? backed : group.filter(({ criterion }) => !criterion.met))
      .map(({ reviewer, criterion }) => `${reviewer}: ${criterion.evidence ?? 'no evidence'}`)
      .join('; ');
    return [
      {
        task_id: first.criterion.task_id,
        number: first.criterion.number,
        met,
        evidence: evidence === '' ? null : evidence.slice(0, 2000),
      },
    ];
  });
}
