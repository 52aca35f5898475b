/**
 * The agent port: input and result of every driver. Drivers know programs, protocols and processes;
 * nothing here knows what a sketch or a vote is.
 */

import type { LaneKind, Usage } from '../base/schema/calls.ts';
import type { LimitNote } from './quota.ts';

export { type LaneKind, laneKinds, type Usage, unknownUsage } from '../base/schema/calls.ts';

export type Access = 'read' | 'write';

/** One request to one agent. */
export type AgentTask = {
  /** What the request is for (`sketch`, `vote`, …); goes to the child as CHARRETTE_TASK. */
  task: string;
  run: string;
  seat: string;
  /** 1 for the first attempt of a lane. */
  attempt: number;
  prompt: string;
  /**
   * The structured input the prompt was composed from. Only in-process agents read it, so that none has to parse a
   * prompt; it never leaves this process.
   */
  input?: unknown;
  /** Where the agent works; with read access it must come out of the call as it went in. */
  directory: string;
  access: Access;
  /** Files of the run's record that prompts name; the rest of the record is hidden from the agent. */
  given?: readonly string[];
  limits: TaskLimits;
  /** JSON Schema of the answer. Default: free text. */
  schema?: JsonSchema;
  /** Continue an earlier session of the same agent, or branch off it. */
  resume?: { session: string; fork: boolean };
  /** Private folder of this attempt: temporary HOME, prompt file, raw stream. It exists when the driver is called. */
  laneDirectory: string;
};

export type TaskLimits = {
  wallMs: number;
  /** No output for this long ends the call. */
  idleMs: number;
  /** Model turns, where the agent can count them. */
  turns?: number;
  usd?: number;
};

export type JsonSchema = { readonly [key: string]: unknown };

export type AgentEvent =
  | { type: 'session-start'; session: string; model?: string }
  | { type: 'text-delta'; text: string }
  | { type: 'tool-start'; tool: string; detail?: string }
  | { type: 'tool-end'; tool: string; failed: boolean }
  | { type: 'retry'; reason: string }
  | { type: 'usage'; usage: Usage }
  | { type: 'error'; message: string };

/** Success and failure share one shape; `kind` tells them apart. */
export type LaneResult = {
  kind: LaneKind;
  /**
   * The final answer. On `bad_output` it is one of the wrong form, empty when there is none; on other failures whatever
   * text there was, never to be taken for an answer.
   */
  text: string;
  /** The answer as JSON, when a schema was given and a JSON value was found. Not yet checked against the schema. */
  value?: unknown;
  /** Why it failed, for people. Absent on `ok`. */
  message?: string;
  retryAfterMs?: number;
  /** What the program said about the limits of its account. */
  limit?: LimitNote;
  exitCode?: number;
  signal?: string;
  /** To resume or fork this conversation later, when the agent can. */
  session?: string;
  model?: string;
  usage: Usage;
  toolCalls: number;
  durationMs: number;
  /** What was started, without the jail around it; absent for agents that start no process. */
  argv?: readonly string[];
  /** What held a child process to its access; absent for agents without one. */
  confinement?: Confinement;
};

/** `bubblewrap`: nothing but its own HOME can be written. `copy`, `in-place`: changes are found afterwards. */
export type Confinement = 'bubblewrap' | 'copy' | 'in-place';

/** What an agent can do, declared as data; callers ask for a capability, never for a name. */
export type Capabilities = {
  write: boolean;
  /** The agent itself can be held to a JSON Schema. */
  schema: boolean;
  resume: boolean;
  fork: boolean;
  /** Token counts come with the answer. */
  usage: boolean;
  /** The driver reads an explicit success event; without one only a schema-valid answer counts. */
  trust: 'terminal-event' | 'schema-only';
};

export type Probe = {
  healthy: boolean;
  /** L-123: false when its program is not there at all. */
  available?: boolean;
  version?: string;
  message?: string;
  /** The account is used up; it resets automatically, at this time if known. */
  usedUp?: { resetsAt?: number };
};

export type CallContext = {
  signal: AbortSignal;
  onEvent: (event: AgentEvent) => void;
};

/** An agent that can be seated. */
export type Agent = {
  /** The name in the configuration, unique. */
  id: string;
  /** Who made the model behind it. */
  family: string;
  /** How people know it: `Claude Code`, `Codex`. */
  title: string;
  capabilities: Capabilities;
  call(task: AgentTask, context: CallContext): Promise<LaneResult>;
  /** True if the answer to this very task is on disk, so that calling only reads it. Default: false. */
  answered?(task: AgentTask): Promise<boolean>;
  /** L-124, L-125: asks for `OK` with the production argv. */
  probe(context: CallContext & { laneDirectory: string; directory: string }): Promise<Probe>;
};
