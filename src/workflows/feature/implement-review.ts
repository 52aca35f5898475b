import { noResumeState, type ResumeState } from '../../prompts/resume/state.ts';
import { goBack } from './backward.ts';
import { fixIssues } from './fix.ts';
import { appendRecord, issueLines, logReview } from './records.ts';
import { type Reviewed, reviewRole } from './review.ts';
import type { GateResult } from './rules/gate.ts';
import { renderImplementEntry } from './rules/history.ts';
import {
  afterReview,
  type ImplementLoop,
  type ImplementStep,
  nextImplementStep,
  startImplementLoop,
  startRound,
} from './rules/implement-loop.ts';
import { type Phase, phaseTable } from './rules/phases.ts';
import type { ReviewIssue } from './rules/review-answer.ts';
import type { ImplementRun } from './run.ts';
import type { Work } from './work.ts';

type ReviewStep = Extract<ImplementStep, { kind: 'review' }>;
type FixStep = Extract<ImplementStep, { kind: 'fix' }>;
type CapStep = Extract<ImplementStep, { kind: 'circuit-breaker' }>;

export type ReviewEnd = {
  verdict: 'approved' | 'forced' | 'stopped' | 'abandoned' | 'back';
  /** With the verdict `back`: the phase to repeat. */
  back?: Phase;
  rounds: number;
  /** What was open, or only noted, at the end. */
  issues: readonly ReviewIssue[];
};

/** Whose sessions can be continued. */
export type Sessions = { author: boolean; reviewer: boolean };

/** What the rounds hand on to each other. */
type Rounds = {
  /** Counts "fix and rerun"; names of calls contain it. */
  generation: number;
  loop: ImplementLoop;
  state: ResumeState;
  /** By role. */
  found: Map<string, readonly ReviewIssue[]>;
  markers: readonly string[];
  commit?: 'COMMIT_OK' | 'NO_CHANGES' | undefined;
  /** §2F: the phase to repeat, as a reviewer of the last round proposed. */
  back?: Phase | undefined;
  fixed: boolean;
};

/** T-123…T-129: rounds of all reviewers, fixes between them, a full round at the end, your decision at the cap. */
export async function reviewImplementation(
  run: ImplementRun,
  work: Work,
  sessions: Sessions,
): Promise<ReviewEnd> {
  let rounds = begin(run, 1);
  let past = 0;
  for (;;) {
    const step = nextImplementStep(rounds.loop, rounds.fixed);
    const found = [...rounds.found.values()].flat();
    if (rounds.back !== undefined)
      return { verdict: 'back', back: rounds.back, rounds: past + rounds.loop.round, issues: found };
    if (step.kind === 'approved') return { verdict: 'approved', rounds: past + step.rounds, issues: found };
    if (step.kind === 'review') rounds = await reviewRound(run, work, rounds, step, sessions.reviewer);
    else if (step.kind === 'fix') rounds = await fixRound(run, work, rounds, step, sessions.author);
    else {
      const verdict = await askAtCap(run, step, rounds.generation);
      past += step.rounds;
      if (verdict !== 'rerun') return { verdict, rounds: past, issues: step.open };
      const issues = step.open.map((issue) => ({ ...issue, reviewer: '' }));
      const last = { kind: 'fix', round: step.rounds, issues } as const;
      await fixRound(run, work, rounds, last, sessions.author);
      // T-112: nothing of the rounds before counts any more.
      rounds = begin(run, rounds.generation + 1);
    }
  }
}

function begin({ inputs }: ImplementRun, generation: number): Rounds {
  const { reviewers } = phaseTable.implement;
  const roles = reviewers.map(({ role }) => role);
  const loop = startImplementLoop(roles, inputs.max ?? reviewers[0]?.max ?? 5);
  return { generation, loop, state: noResumeState, found: new Map(), markers: [], fixed: false };
}

type Heard = { role: string; reviewed: Reviewed; result: GateResult };

async function reviewRound(
  run: ImplementRun,
  work: Work,
  rounds: Rounds,
  step: ReviewStep,
  resumes: boolean,
): Promise<Rounds> {
  const { generation, found } = rounds;
  const before = rounds.loop.reviewers;
  const name = `review ${generation}.${step.round}`;
  const { start, feature, code } = await work.round(name);
  let loop = startRound(rounds.loop, step);
  let { state } = rounds;
  const heard: Heard[] = [];
  for (const role of step.roles) {
    const previous = found.get(role);
    const review = async (retry: boolean) => {
      const reviewed = await reviewRole(run, {
        command: 'implement',
        ...{ role, feature, resumes, code, previous, state, retry },
        iteration: step.round,
        max: step.max,
        place: work.place(start, 'read'),
        // T-102: only a role that had passed is asked what broke since.
        finalValidation: step.finalValidation && before[role]?.passedIn !== undefined,
        series: generation === 1 ? undefined : generation,
        commit: previous === undefined ? undefined : rounds.commit,
      });
      state = reviewed.state;
      return reviewed;
    };
    const first = await review(false);
    // Tricky case 10: a rejection without an issue is repeated once; then it is a rejection.
    const reviewed = first.result.gate === 'ask-again' ? await review(true) : first;
    const result: GateResult =
      reviewed.result.gate === 'ask-again' ? { ...reviewed.result, gate: 'fail' } : reviewed.result;
    const issues = reviewed.answer?.issues;
    loop = afterReview(loop, role, result);
    if (issues !== undefined) found.set(role, issues);
    heard.push({ role, reviewed, result });
    const time = new Date(reviewed.time).toISOString();
    await logReview(run, `${name} ${role}`, {
      ...{ command: 'implement', role, iteration: step.round, time, result },
      issues: issues ?? [],
    });
  }
  await recordRound(run, name, step, before, heard, rounds.markers);
  const back = await firstProposal(run, name, heard);
  return { generation, loop, state, found, markers: [], back, fixed: false };
}

/** One question at a time: asks about the first reviewer that finds the fault in an earlier phase. */
async function firstProposal(
  run: ImplementRun,
  name: string,
  heard: readonly Heard[],
): Promise<Phase | undefined> {
  for (const { role, reviewed, result } of heard) {
    const { answer } = reviewed;
    const back = answer && (await goBack(run, `${name} ${role}`, { answer, result }));
    if (back !== undefined) return back;
  }
  return undefined;
}

/** T-084. */
async function recordRound(
  run: ImplementRun,
  name: string,
  { round: iteration, finalValidation }: ReviewStep,
  before: ImplementLoop['reviewers'],
  heard: readonly Heard[],
  markers: readonly string[],
): Promise<void> {
  const reviewers = Object.entries(before).map(([role, { passedIn }]) => {
    const own = heard.find((entry) => entry.role === role);
    const issues = own?.reviewed.answer?.issues ?? [];
    return { role, issues, result: own?.result, skippedSince: own === undefined ? passedIn : undefined };
  });
  const entry = renderImplementEntry({
    iteration,
    time: new Date(heard[0]?.reviewed.time ?? 0).toISOString(),
    finalValidation,
    reviewers,
    markers: [...markers, ...heard.flatMap(({ reviewed }) => reviewed.markers)],
    levels: heard.find(({ reviewed }) => reviewed.answer?.levels !== undefined)?.reviewed.answer?.levels,
  });
  await appendRecord(run, `history ${name}`, entry);
}

async function fixRound(
  run: ImplementRun,
  work: Work,
  rounds: Rounds,
  step: FixStep,
  resumes: boolean,
): Promise<Rounds> {
  if (step.issues.length === 0) {
    run.warn('no issue was named that could be fixed; the reviewers review again');
    return { ...rounds, fixed: true };
  }
  const fixed = await fixIssues(run, work, {
    name: `fix ${rounds.generation}.${step.round}`,
    round: step.round,
    max: rounds.loop.max,
    issues: step.issues.map((issue) => [issue.reviewer, ...issueLines([issue])].filter(Boolean).join(': ')),
    state: rounds.state,
    resumes,
  });
  return { ...rounds, ...fixed, fixed: true };
}

const choices = {
  'fix-and-rerun': 'rerun',
  'force-approve': 'forced',
  stop: 'stopped',
  abandon: 'abandoned',
} as const;

/** T-129: you decide what happens at the cap. An unattended run stops; it never approves. */
async function askAtCap(
  run: ImplementRun,
  { rounds, max, failed, open }: CapStep,
  generation: number,
): Promise<(typeof choices)[keyof typeof choices]> {
  const who =
    failed.length === 0 ? 'no round was left for all reviewers' : `${failed.join(', ')} did not pass`;
  run.warn(`circuit breaker: after ${rounds} of ${max} rounds ${who}`);
  if (run.inputs.autonomous) return 'stopped';
  const id = `circuit-breaker-${generation}`;
  const answers = await run.context.ask([
    {
      id,
      text: `After ${rounds} of ${max} review rounds ${who}. What now?`,
      detail: issueLines(open).slice(0, 20).join('\n') || 'No issue is open.',
      options: [
        { value: 'fix-and-rerun', label: 'Fix what is open and review again, with new counters' },
        { value: 'force-approve', label: 'Accept it unchanged and record what is open' },
        { value: 'stop', label: 'Stop; the work stays on its branch' },
        { value: 'abandon', label: 'Abandon the feature' },
      ],
    },
  ]);
  return choices[(answers.get(id)?.value ?? 'stop') as keyof typeof choices] ?? 'stopped';
}
