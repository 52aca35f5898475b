import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Agent, AgentTask, CallContext, LaneResult } from '../../agents/port.ts';
import { CharretteError } from '../../base/errors.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { compose, type PromptDraft, seededNonce } from '../../prompts/part.ts';
import { type Displaced, displaced, referencesOf } from '../../repo/git/references.ts';
import type { LimitRule } from './limits.ts';

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
