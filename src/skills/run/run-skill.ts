import { CharretteError } from '../../base/errors.ts';
import { counted } from '../../base/text/strings.ts';
import type { TodoList, TodoStatus } from '../compaction/compaction.ts';
import { evaluateCondition, parseCondition } from '../model/condition.ts';
import { type PhaseAnswer, valueAt } from './phase-call.ts';
import type { RunPhase, RunPlan, RunQuestion } from './run-plan.ts';

/** What a skill run needs from outside: the durable engine in a run, a script in a test. */
export type RunWorld = {
  ask(questions: readonly RunQuestion[]): Promise<Readonly<Record<string, string>>>;
  /** One attempt at a phase; problems mean that it was not accepted. */
  attempt(call: PhaseAttempt): Promise<AttemptResult>;
  /** Called after every change of the todo list. */
  todo(list: TodoList, what: TodoChange): Promise<void>;
};

export type PhaseAttempt = {
  phase: RunPhase;
  round: number;
  /** Counted from 1. */
  attempt: number;
  state: RunState;
  /** Of the last attempt. */
  problems: readonly string[];
};

export type TodoChange = { phase: RunPhase; status: TodoStatus; reason?: string | undefined };
export type AttemptResult = { answer: PhaseAnswer | undefined; problems: readonly string[] };

export type RunState = {
  task: string;
  preferences: Record<string, unknown>;
  values: Record<string, unknown>;
  summaries: { phase: number; name: string; status: string; summary: string }[];
  /** Why the result is not accepted: the condition that a loop did not reach. */
  unmet?: string;
};

export type SkillRunInput = {
  session: string;
  task: string;
  /** Trigger or mode of a router; the first row otherwise. */
  mode?: string | undefined;
  auto: boolean;
  now: string;
};

/** S-106: attempts at one phase before the run stops. */
export const strikes = 3;

/** Runs a package: preferences once, phases in order, conditions, handoffs, rounds; exactly one phase in progress. */
export async function runSkill(plan: RunPlan, input: SkillRunInput, world: RunWorld): Promise<RunState> {
  const state: RunState = {
    task: input.task,
    preferences: await preferences(plan, input, world),
    // Phases write below a session; one that no phase opens is the run itself.
    values: { task: input.task, sessionId: input.session },
    summaries: [],
  };
  let list = startList(plan, input);
  const change = async (phase: RunPhase, status: TodoStatus, reason?: string) => {
    list = {
      ...list,
      rev: list.rev + 1,
      items: list.items.map((item) => (item.id === phase.file ? { ...item, status } : item)),
    };
    await world.todo(list, { phase, status, reason });
  };
  const queue = phasesOf(plan, input.mode);
  for (let round = 1; ; round += 1) {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const phase = next;
      const conclude = async (todo: TodoStatus, status: string, summary: string, reason?: string) => {
        state.summaries.push({ phase: phase.number, name: phase.name, status, summary });
        await change(phase, todo, reason);
      };
      if (phase.condition !== undefined && !holds(phase.condition, state)) {
        const reason = `${phase.condition} does not hold`;
        await conclude('skipped', 'skipped', reason, reason);
        // A phase that does not run hands over to none.
        if (plan.profile === 'router') queue.length = 0;
        continue;
      }
      await change(phase, 'in_progress');
      const answer = await runPhase(phase, round, state, world, (reason) => change(phase, 'failed', reason));
      Object.assign(state.values, answer.outputs);
      await conclude('completed', answer.status, answer.summary);
    }
    if (plan.loop === undefined || loopEnds(plan.loop.until, state)) return state;
    const { until, from, limit } = plan.loop;
    if (round >= limit)
      return { ...state, unmet: `\`${until}\` does not hold after ${counted(round, 'round')}` };
    const again = plan.phases.filter(({ number }) => number >= from);
    for (const phase of again) await change(phase, 'pending', `round ${round + 1}`);
    queue.push(...again);
  }
}

async function preferences(
  plan: RunPlan,
  input: SkillRunInput,
  world: RunWorld,
): Promise<Record<string, unknown>> {
  const open = plan.questions.filter(({ key }) => !(input.auto && key === 'autoYes'));
  const answers = open.length === 0 ? {} : await world.ask(open);
  return Object.fromEntries(
    plan.questions.map(({ key, recommended }) => {
      if (input.auto && key === 'autoYes') return [key, true];
      const answer = answers[key] ?? recommended;
      const active = plan.switches[key];
      return [key, active === undefined ? answer : answer === active];
    }),
  );
}

/**
 * A router runs the phase that the trigger or mode names and those it hands over to, every other package all phases.
 * P-002: hyphens are as good as colons.
 */
export function phasesOf(plan: RunPlan, mode: string | undefined): RunPhase[] {
  if (plan.profile !== 'router') {
    if (mode === undefined) return [...plan.phases];
    throw new CharretteError({
      code: 'usage',
      message: `${plan.skill} has no mode ${JSON.stringify(mode)}; it is a ${plan.profile}, which runs all its phases.`,
      fix: 'Leave --mode out.',
    });
  }
  const wanted = mode ?? plan.phases[0]?.mode;
  const spelt = (name: string) => name.replaceAll(':', '-');
  const phase = plan.phases.find(
    (candidate) =>
      candidate.mode === wanted ||
      candidate.triggers.some((trigger) => spelt(trigger) === spelt(wanted ?? '')),
  );
  if (phase !== undefined) return withHandovers(plan, phase);
  const modes = plan.phases
    .flatMap((candidate) => [candidate.mode ?? '', ...candidate.triggers])
    .filter((name) => name !== '');
  throw new CharretteError({
    code: 'usage',
    message: `${plan.skill} has no mode ${JSON.stringify(mode)}; it has ${modes.join(', ')}.`,
  });
}

function withHandovers({ phases }: RunPlan, first: RunPhase): RunPhase[] {
  const route = new Set<RunPhase>();
  // Phases that hand over in a circle would never end.
  for (let next: RunPhase | undefined = first; next !== undefined && !route.has(next); ) {
    route.add(next);
    const target: number | undefined = next.handsOverTo;
    next = phases.find(({ number }) => number === target);
  }
  return [...route];
}

function holds(condition: string, state: RunState): boolean {
  const reading = parseCondition(condition);
  if (!reading.ok)
    throw new CharretteError({
      code: 'usage',
      message: `The condition "${condition}" cannot be read: ${reading.message}.`,
      fix: 'Run `charrette skill lint`.',
    });
  return evaluateCondition(reading.condition, lookUp(state));
}

/** S-016: workflowPreferences holds your choices, and no output of a phase. */
function lookUp({ values, preferences: chosen }: RunState): (path: string) => unknown {
  const all = { ...chosen, ...values, workflowPreferences: chosen };
  return (path) => valueAt(path, all);
}

/** A program cannot decide prose, so such a loop runs once. */
function loopEnds(until: string, state: RunState): boolean {
  const reading = parseCondition(until);
  return reading.ok ? evaluateCondition(reading.condition, lookUp(state)) : true;
}

/** S-106: tries a phase up to three times; one that reports FAILED is not repeated. */
async function runPhase(
  phase: RunPhase,
  round: number,
  state: RunState,
  world: RunWorld,
  fail: (reason: string) => Promise<void>,
): Promise<PhaseAnswer> {
  let problems: readonly string[] = [];
  let attempt = 0;
  let stopped = false;
  while (attempt < strikes && !stopped) {
    attempt += 1;
    const result = await world.attempt({ phase, round, attempt, state, problems });
    if (result.answer !== undefined && result.problems.length === 0) return result.answer;
    problems = result.problems;
    stopped = result.answer?.status === 'FAILED';
  }
  await fail(problems.join(' '));
  const tried = attempt === 1 ? '' : ` after ${attempt} attempts`;
  throw new CharretteError({
    code: 'phase-failed',
    message: `Phase ${phase.number} (${phase.name}) failed${tried}: ${problems.join(' ')}`,
    fix: 'Correct the phase or the agent, then run `charrette resume` to try the phase again.',
  });
}

function startList({ skill, phases }: RunPlan, { session, now }: SkillRunInput): TodoList {
  return {
    version: 1,
    sessionId: session,
    skill,
    rev: 0,
    updatedAt: now,
    active: undefined,
    items: phases.map(({ number, name, file }) => ({
      id: file,
      kind: 'phase',
      content: `Phase ${number}: ${name}`,
      activeForm: `Running Phase ${number}`,
      status: 'pending',
      phaseFile: file,
      attempts: 0,
    })),
  };
}

/** S-106: the last line of a run. */
export function closingStatus({ summaries, unmet }: RunState): string {
  if (unmet !== undefined) return `DONE_WITH_CONCERNS: ${unmet}`;
  return summaries.some(({ status }) => status === 'DONE_WITH_CONCERNS') ? 'DONE_WITH_CONCERNS' : 'DONE';
}
