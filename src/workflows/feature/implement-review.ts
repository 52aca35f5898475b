import { noResumeState, type ResumeState } from '../../prompts/resume/state.ts';
import { travelBack } from './backward.ts';
import { askBreaker } from './breaker.ts';
import type { FeatureDesk } from './desk.ts';
import { fixIssues } from './implement-fix.ts';
import type { FeatureImplementInputs } from './inputs.ts';
import { appendRecord, issueLines, logReview, look } from './records.ts';
import { type Reviewed, reviewRole } from './review.ts';
import type { GateResult } from './rules/gate.ts';
import { type ImplementEntry, renderImplementEntry } from './rules/history.ts';
import {
  afterReview,
  type ImplementLoop,
  type ImplementStep,
  nextImplementStep,
  startImplementLoop,
  startRound,
} from './rules/implement-loop.ts';
import { type Phase, phaseTable } from './rules/phases.ts';
import type { ReviewAnswer, ReviewIssue } from './rules/review-answer.ts';
import { changedCode, openAt, placeIn, type Work } from './work.ts';

type Desk = FeatureDesk<FeatureImplementInputs>;
type ReviewStep = Extract<ImplementStep, { kind: 'review' }>;

export type ReviewEnd = {
  verdict: 'approved' | 'forced' | 'stopped' | 'abandoned' | 'back';
  /** Where to, when it goes back. */
  back?: Phase;
  rounds: number;
  /** What was open when it ended. */
  open: readonly ReviewIssue[];
  notes: readonly ReviewIssue[];
};

export type Sessions = { author: boolean; reviewer: boolean };

/** What the rounds hand on to each other. */
type Rounds = {
  /** Counts "fix and rerun"; names of calls carry it. */
  generation: number;
  loop: ImplementLoop;
  state: ResumeState;
  found: Map<string, readonly ReviewIssue[]>;
  markers: readonly string[];
  commit?: 'COMMIT_OK' | 'NO_CHANGES';
  /** §2F: where a reviewer of the last round wants to go, when it was agreed to. */
  back?: Phase;
};

/** T-123…T-129: rounds of all reviewers, fixes between them, a full round at the end, a breaker at the cap. */
export async function reviewImplementation(
  desk: Desk,
  work: Work,
  sessions: Sessions,
  named: readonly string[],
): Promise<ReviewEnd> {
  let rounds = begin(desk, 1);
  let past = 0;
  let fixed = false;
  for (;;) {
    const step = nextImplementStep(rounds.loop, fixed);
    if (step.kind === 'review') {
      rounds = await reviewRound(desk, work, rounds, step, sessions.reviewer, named);
      fixed = false;
      if (rounds.back !== undefined) {
        const open = [...rounds.found.values()].flat();
        return { verdict: 'back', back: rounds.back, rounds: past + step.round, open, notes: open };
      }
    } else if (step.kind === 'fix') {
      rounds = await fixRound(desk, work, rounds, step, sessions.author, named);
      fixed = true;
    } else if (step.kind === 'approved') {
      const notes = [...rounds.found.values()].flat();
      return { verdict: 'approved', rounds: past + step.rounds, open: [], notes };
    } else {
      const choice = await askBreaker(desk, step, rounds.generation);
      const ended = { rounds: past + step.rounds, open: step.open, notes: step.open };
      if (choice !== 'rerun') return { verdict: choice, ...ended };
      past += step.rounds;
      await fixRound(
        desk,
        work,
        rounds,
        { kind: 'fix', round: step.rounds, issues: step.open.map((issue) => ({ ...issue, reviewer: '' })) },
        sessions.author,
        named,
      );
      // T-112: nothing of the rounds before counts any more.
      rounds = begin(desk, rounds.generation + 1);
      fixed = false;
    }
  }
}

function begin(desk: Desk, generation: number): Rounds {
  const { reviewers } = phaseTable.implement;
  const roles = reviewers.map(({ role }) => role);
  const max = desk.inputs.max ?? reviewers[0]?.max ?? 5;
  return {
    generation,
    loop: startImplementLoop(roles, max),
    state: noResumeState,
    found: new Map(),
    markers: [],
  };
}

async function reviewRound(
  desk: Desk,
  work: Work,
  rounds: Rounds,
  step: ReviewStep,
  resumes: boolean,
  named: readonly string[],
): Promise<Rounds> {
  const { generation, found } = rounds;
  const before = rounds.loop.reviewers;
  const name = `review ${generation}.${step.round}`;
  const start = await openAt(desk, work, 'work', name);
  const code = await changedCode(desk, work, start, named, name);
  const feature = await look(desk, name);
  let loop = startRound(rounds.loop, step);
  let { state } = rounds;
  const heard: { role: string; reviewed: Reviewed; result: GateResult }[] = [];
  for (const role of step.roles) {
    const previous = found.get(role);
    const call = {
      command: 'implement',
      role,
      iteration: step.round,
      max: step.max,
      feature,
      resumes,
      code,
      place: placeIn(work, start, 'read'),
      // T-102: only who had passed is asked what broke since.
      finalValidation: step.finalValidation && before[role]?.passedIn !== undefined,
      ...(generation === 1 ? {} : { series: generation }),
      ...(previous === undefined ? {} : { previous }),
      ...(rounds.commit === undefined || previous === undefined ? {} : { commit: rounds.commit }),
    };
    let reviewed = await reviewRole(desk, { ...call, state, retry: false });
    state = reviewed.state;
    // Tricky case 10: a rejection without an issue is asked for once more.
    if (reviewed.result.gate === 'ask-again') {
      reviewed = await reviewRole(desk, { ...call, state, retry: true });
      state = reviewed.state;
    }
    const result = resultOf(reviewed);
    loop = afterReview(loop, role, result);
    if (reviewed.answer !== undefined) found.set(role, reviewed.answer.issues);
    heard.push({ role, reviewed, result });
    await logReview(desk, `${name} ${role}`, {
      command: 'implement',
      role,
      iteration: step.round,
      time: new Date(reviewed.time).toISOString(),
      result,
      issues: reviewed.answer?.issues ?? [],
    });
  }
  await writeEntry(desk, name, step, before, heard, rounds.markers);
  const back = await firstTravel(desk, name, heard);
  const { commit: _done, ...rest } = rounds;
  return { ...rest, loop, state, markers: [], ...(back === undefined ? {} : { back }) };
}

/** One question at a time: the first reviewer that finds the fault in an earlier phase is asked about first. */
async function firstTravel(
  desk: Desk,
  name: string,
  heard: readonly { role: string; reviewed: Reviewed; result: GateResult }[],
): Promise<Phase | undefined> {
  for (const { role, reviewed, result } of heard) {
    if (reviewed.answer === undefined) continue;
    const back = await travelBack(desk, `${name} ${role}`, { answer: reviewed.answer, result });
    if (back !== undefined) return back;
  }
  return undefined;
}

/** Who rejects a second time without an issue has rejected. */
function resultOf({ result }: Reviewed): GateResult {
  return result.gate === 'ask-again' ? { ...result, gate: 'fail' } : result;
}

/** T-084. */
async function writeEntry(
  desk: Desk,
  name: string,
  step: ReviewStep,
  before: ImplementLoop['reviewers'],
  heard: readonly { role: string; reviewed: Reviewed; result: GateResult }[],
  markers: readonly string[],
): Promise<void> {
  const reviewers = Object.entries(before).map(([role, { passedIn }]) => {
    const own = heard.find((entry) => entry.role === role);
    return {
      role,
      issues: own?.reviewed.answer?.issues ?? [],
      ...(own === undefined ? {} : { result: own.result }),
      ...(own === undefined && passedIn !== undefined ? { skippedSince: passedIn } : {}),
    };
  });
  const levels = heard.map(({ reviewed }) => levelsOf(reviewed.answer)).find((found) => found !== undefined);
  const entry: ImplementEntry = {
    iteration: step.round,
    time: new Date(heard[0]?.reviewed.time ?? 0).toISOString(),
    finalValidation: step.finalValidation,
    reviewers,
    markers: [...markers, ...heard.flatMap(({ reviewed }) => reviewed.markers)],
    ...(levels === undefined ? {} : { levels }),
  };
  await appendRecord(desk, `history ${name}`, renderImplementEntry(entry));
}

function levelsOf(answer: ReviewAnswer | undefined): ReviewAnswer['levels'] {
  return answer?.levels;
}

async function fixRound(
  desk: Desk,
  work: Work,
  rounds: Rounds,
  step: Extract<ImplementStep, { kind: 'fix' }>,
  resumes: boolean,
  named: readonly string[],
): Promise<Rounds> {
  if (step.issues.length === 0) {
    desk.warn('nothing was named that could be fixed; the reviewers look again');
    return rounds;
  }
  const { state, markers, commit } = await fixIssues(desk, work, {
    name: `fix ${rounds.generation}.${step.round}`,
    round: step.round,
    max: rounds.loop.max,
    issues: step.issues.map((issue) => [issue.reviewer, ...issueLines([issue])].filter(Boolean).join(': ')),
    state: rounds.state,
    resumes,
    named,
  });
  return { ...rounds, state, markers, commit };
}
