import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openLaneEvents } from '../../agents/call-events.ts';
import {
  type Access,
  type Agent,
  type AgentTask,
  type CallContext,
  type JsonSchema,
  type LaneResult,
  type TaskLimits,
  unknownUsage,
} from '../../agents/port.ts';
import { endOrphans } from '../../agents/process/process-tree.ts';
import { CharretteError } from '../../base/errors.ts';
import { writeFileAtomicSync, writeJsonAtomicSync } from '../../base/files/atomic.ts';
import { isRecord, parseJson, readJson } from '../../base/safe-json.ts';
import { timeOf } from '../../engine/clock.ts';
import type { LedgerEntry } from '../../engine/ledger.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import { relocate } from '../../engine/run-directory.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { compose, type PromptDraft, seededNonce } from '../../prompts/part.ts';
import { isUnusable, keepWork, moveCheckout } from '../../repo/git/checkout.ts';
import { type Displaced, displaced, referencesOf } from '../../repo/git/references.ts';
import type { LimitRule } from './limits.ts';

/** What a step body that calls agents may touch: files of the run, never its workflow. */
export type Caller = { live: LiveRun; services: CallServices; signal: AbortSignal };

/** Where an agent works, and whether it may change files there. */
export type Place = {
  directory: string;
  access: Access;
  /** A writer starts from this commit of this checkout: what an unfinished attempt left is put back first. */
  start?: CheckoutStart | undefined;
};

/** `kept`: the git reference that keeps finished work until it is merged. */
export type CheckoutStart = { checkout: string; commit: string; kept?: string };

export type OneCall = {
  /** The attempt's own folder. */
  folder: string;
  attempt: number;
  seat: string;
  phase: string;
  kind: string;
  prompt: string;
  facts?: unknown;
  schema?: JsonSchema;
  limits: TaskLimits;
  place?: Place | undefined;
  session?: string | undefined;
};

/** `unsaved`: the agent was not called, because its checkout is unusable. */
export type Called = { result: LaneResult; unsaved?: true };

/**
 * Calls an agent once: in its checkout as it has to be, within all limits, and entered in the ledger before its answer counts. Throws
 * when the run is being stopped.
 */
export async function callOnce(caller: Caller, agent: Agent, call: OneCall): Promise<Called> {
  const { live, services, signal } = caller;
  const { folder, attempt, seat, phase, kind, prompt, facts, schema, limits, place, session } = call;
  await endOrphans([folder]);
  const task: AgentTask = {
    ...{ task: kind, run: live.directory.id, seat, attempt, prompt, limits, laneDirectory: folder },
    directory: place?.directory ?? services.project,
    access: place?.access ?? 'read',
    ...(facts === undefined ? {} : { input: facts }),
    ...(schema === undefined ? {} : { schema }),
    ...(session === undefined ? {} : { resume: { session, fork: false } }),
  };
  const start = place?.access === 'write' ? place.start : undefined;
  // Finished work is in the checkout, even when this process died before it saved the answer.
  if (start !== undefined && (await agent.answered?.(task)) !== true) {
    const refusal = await refusalOf(() => moveCheckout(services.project, start.checkout, start.commit));
    if (refusal !== undefined) return { result: refusal, unsaved: true };
  }
  beginAttempt(folder, prompt);
  const events = openLaneEvents(folder);
  const context = { signal, onEvent: events.note, live, phase };
  const answer = await callAgent(services, agent, task, context).finally(events.close);
  const entry: LedgerEntry = {
    v: 1,
    ...{ id: path.basename(folder), time: timeOf(live.clock), phase, task: kind, seat },
    ...{ agent: agent.id, family: agent.family },
    ...(answer.model === undefined ? {} : { model: answer.model }),
    ...{ usage: answer.usage, durationMs: answer.durationMs },
  };
  // A good answer is kept by its agent and counted when the run is resumed; anything else will be paid for again.
  if (signal.aborted && answer.kind !== 'ok') live.ledger.addStopped(entry);
  signal.throwIfAborted();
  // Before the answer counts as complete: a call that is never made again must not be missing here.
  live.ledger.add(entry);
  const kept = start?.kept;
  if (answer.kind !== 'ok' || start === undefined || kept === undefined) return { result: answer };
  // An answer without its work would be worth nothing.
  const lost = await refusalOf(() => keepWork(services.project, start.checkout, start.commit, kept));
  if (lost === undefined) return { result: answer };
  const { kind: failure, message } = lost;
  return { result: { ...answer, kind: failure, ...(message === undefined ? {} : { message }) } };
}

/** A checkout that an agent made unusable is the failure of that call, not of the run. */
async function refusalOf(act: () => Promise<void>): Promise<LaneResult | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (!isUnusable(error)) throw error;
    const message = error.message.replace(/\.$/, '');
    return { kind: 'denied', text: '', message, usage: unknownUsage, toolCalls: 0, durationMs: 0 };
  }
}

/** What a call asks, kept in a file so that the journal stays small. `session`: an earlier one of the agent to continue. */
export type CallQuestion = { prompt: string; input?: unknown; session?: string | undefined };

/**
 * Writes the question of a call and returns its digest; doing it again changes nothing. Neither the run's folder nor the place of
 * the project counts, so that `--from-run` and a copy of the project recognise the question.
 */
export function writeQuestion(
  { lanes, project }: { lanes: string; project: string },
  lane: string,
  question: CallQuestion,
): string {
  const whole = { schemaVersion: 1, ...question };
  const text = `${JSON.stringify(whole)}\n`;
  const file = path.join(lanes, `${lane}.json`);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileAtomicSync(file, text);
  const withoutRun = text.replaceAll(JSON.stringify(path.dirname(lanes)).slice(1, -1), '');
  const placeless = relocate(parseJson(withoutRun, file), project, '.');
  return createHash('sha256')
    .update(`${JSON.stringify(placeless)}\n`)
    .digest('hex');
}

/** One folder per attempt: prompt, answer, events, result. */
export function beginAttempt(directory: string, prompt: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, 'prompt.md'), prompt);
}

/** `start`: in which start of the run, counted from 1; `time`: when it ended. */
export type AttemptRecord = {
  schemaVersion: 1;
  digest: string;
  agent: string;
  task: string;
  start: number;
  time: string;
  result: LaneResult;
};

/** The result goes last: where it exists, the attempt is complete. */
export function finishAttempt(directory: string, record: AttemptRecord): void {
  writeFileSync(path.join(directory, 'answer.txt'), record.result.text);
  writeJsonAtomicSync(path.join(directory, 'result.json'), record);
}

/** When an attempt or its repair turn ended. */
export function attemptTime(directory: string): number | undefined {
  const times = [directory, repairOf(directory)].map((place) => Date.parse(attemptIn(place)?.time ?? ''));
  return times.findLast((time) => !Number.isNaN(time));
}

/** Where the repair turn of an attempt has its files. */
export function repairOf(attempt: string): string {
  return `${attempt}-repair`;
}

type Attempt = Pick<AttemptRecord, 'digest' | 'agent' | 'result'> & Partial<AttemptRecord>;

/** The record of a complete attempt; a truncated one is none. */
export function attemptIn(directory: string): Attempt | undefined {
  const file = path.join(directory, 'result.json');
  if (!existsSync(file)) return undefined;
  const reading = readJson(readFileSync(file, 'utf8'));
  if (!reading.ok || !isRecord(reading.value) || !isRecord(reading.value['result'])) return undefined;
  const { digest, agent, result } = reading.value;
  const isWhole = [digest, agent, result['kind']].every((value) => typeof value === 'string');
  return isWhole ? (reading.value as unknown as Attempt) : undefined;
}

/** Lets a bounded number of bodies run at the same time, in the order in which they came. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  /** Waits for a slot, then runs the body; an abort while waiting leaves the queue. */
  async run<Result>(body: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    try {
      return await body();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason);
      };
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(enter);
    });
  }
}

/** One line each; a file lists the rest. */
const mostTold = 10;

/**
 * Watches the references while a writer runs, because its git reaches every branch, tag and stash. You may work in the repository
 * meanwhile, so nothing is restored: a warning lists each change with the command that undoes it.
 */
async function watchReferences<Result>(
  { live, phase, project, agent }: { live: LiveRun; phase: string; project: string; agent: string },
  { laneDirectory }: AgentTask,
  call: () => Promise<Result>,
): Promise<Result> {
  const before = await referencesOf(project);
  try {
    return await call();
  } finally {
    const after = before && (await referencesOf(project));
    const found = before && after ? displaced(before, after) : [];
    const lane = path.basename(laneDirectory);
    const say = (id: string, text: string) =>
      live.events.emit(`references:${lane}:${id}`, { type: 'warning', phase, text });
    for (const each of found.slice(0, mostTold))
      say(`${each.name}:${each.was}:${each.is}`, `While ${agent} worked on ${lane}, ${lineOf(each)}`);
    if (found.length > mostTold) {
      const file = path.join(laneDirectory, 'references.txt');
      await writeFile(file, found.map((each) => `${lineOf(each)}\n`).join(''));
      say(`more:${found.length}`, `${found.length - mostTold} more references were moved; ${file} has all.`);
    }
  }
}

function lineOf({ text, command }: Displaced): string {
  return `${text}. If that was not you: ${command}`;
}

/** What the workflows of one run need from outside; each process that runs them makes its own. */
export type CallServices = {
  agents: ReadonlyMap<string, Agent>;
  /** Bounds the agent calls of this process. */
  slots: Semaphore;
  /** Where workers share limits: waits for a turn with an agent and runs the body within it. */
  turn?: TurnTaking | undefined;
  /** What happens when an account is used up; default: other agents of the seat. */
  limitRule?: LimitRule | undefined;
  /** False for a run that another run started: no one would see its questions. */
  mayAsk?: boolean;
  /** The repository or folder that the run is about. */
  project: string;
  /** Prompt parts that the project words itself. */
  overrides: Readonly<Record<string, string>>;
  /** Lanes of an earlier run; its finished answers are reused for identical requests. */
  earlierLanes: readonly string[] | undefined;
  /** What the delimiters of untrusted text are made from. */
  nonceSeed: string;
  /** Files of the run's record that prompts name: the only ones of it that agents get to see. */
  given?: readonly string[];
  /** Makes the same agent with another model or effort, under another name; missing where agents cannot be made. */
  variant?: (
    agent: string,
    name: string,
    changes: { model?: string | undefined; effort?: string | undefined },
  ) => Promise<Agent>;
  /** The file that --config names, for a process that the run starts. */
  configFile?: string | undefined;
};

export type TurnTaking = <Result>(
  agent: string,
  signal: AbortSignal,
  body: () => Promise<Result>,
) => Promise<Result>;

/**
 * Calls an agent within the bounds of this process and of all workers. The turn comes first: who waits for an agent that others
 * use must not keep a place from all other agents.
 */
export function callAgent(
  { slots, turn, given, project }: CallServices,
  agent: Agent,
  task: AgentTask,
  context: CallContext & { live: LiveRun; phase: string },
): Promise<LaneResult> {
  const { signal, live, phase } = context;
  const call = () => agent.call(given === undefined ? task : { ...task, given }, context);
  const watched = () => watchReferences({ live, phase, project, agent: agent.id }, task, call);
  const within = () => slots.run(task.access === 'write' ? watched : call, signal);
  return turn === undefined ? within() : turn(agent.id, signal, within);
}

/** A prompt as this run words it. */
export function promptText(
  { nonceSeed, overrides }: Pick<CallServices, 'nonceSeed' | 'overrides'>,
  draft: PromptDraft,
): string {
  return compose(draft, { nonce: seededNonce(nonceSeed), overrides }).text;
}

/** What a workflow with agents is started with. */
export type WorkflowStart<Inputs> = [context: WorkflowContext, services: CallServices, inputs: Inputs];

export function agentOf(services: CallServices, id: string): Agent {
  const agent = services.agents.get(id);
  if (agent !== undefined) return agent;
  throw new CharretteError({
    code: 'agent-not-found',
    message: `The agent ${id} is neither configured nor found; there are ${[...services.agents.keys()].join(', ') || 'none'}.`,
    fix: 'Run `charrette doctor` to see which agents are here.',
  });
}
