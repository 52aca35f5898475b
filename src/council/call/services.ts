import type { Agent, AgentTask, CallContext, LaneResult } from '../../agents/port.ts';
import { CharretteError } from '../../base/errors.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import type { Semaphore } from './semaphore.ts';
import { watchReferences } from './watch-references.ts';

/** What the stories of one run need from the world, made anew by every process that works on it. */
export type CallServices = {
  agents: ReadonlyMap<string, Agent>;
  /** Bounds the agent calls of this process. */
  slots: Semaphore;
  /** Where workers share limits: waits for a turn with an agent and runs the body within it. */
  turn?: TurnTaking | undefined;
  /** The repository or folder that the run is about. */
  project: string;
  /** Prompt parts that the project words itself. */
  overrides: Readonly<Record<string, string>>;
  /** Where an earlier run has its lanes, whose finished answers may be taken over when the request is the same. */
  earlierLanes: readonly string[] | undefined;
  /** What the delimiters of untrusted text are made from. */
  nonceSeed: string;
  /** Files of the run's record that prompts name: the only ones of it that agents get to see. */
  given?: readonly string[];
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

export type ServicesOf = (live: LiveRun) => Promise<CallServices>;

export function agentOf(services: CallServices, id: string): Agent {
  const agent = services.agents.get(id);
  if (agent !== undefined) return agent;
  throw new CharretteError({
    code: 'agent-not-found',
    message: `The agent ${id} is neither configured nor found; there are ${[...services.agents.keys()].join(', ') || 'none'}.`,
    fix: 'Run `charrette doctor` to see which agents are here.',
  });
}
