import type { AgentTask, CallContext, Capabilities, LaneKind, Usage } from '../port.ts';
import type { Login } from '../private-home.ts';
import type { LimitNote } from '../quota.ts';
import type { ProcessExit, ProcessRequest, RunningProcess } from '../run-process.ts';
import type { AgentSettings } from '../settings.ts';
import type { Reading } from './reading.ts';

/** Linux takes at most 128 KiB in one argument; longer things go through files or are left to the prompt. */
export const longestArgument = 100_000;

/** A TOML basic string. Drivers write configuration values, never raw text, into such files. */
export function tomlString(text: string): string {
  return JSON.stringify(text).replace(/\u007f/g, '\\u007f');
}

/** The name of the first of these variables that is set: files name keys, they never hold them. */
export function keyNameFor(
  variables: Readonly<Record<string, string>>,
  names: readonly string[],
): string | undefined {
  return names.find((name) => variables[name] !== undefined);
}

/** Keys of the common providers; agents that serve many of them may see these. */
export const providerKeys = [
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENROUTER_API_KEY',
  'XAI_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'DEEPSEEK_API_KEY',
] as const;

/** What a driver is given to build a command from. Nothing else may influence it. */
export type BuildRequest = {
  task: AgentTask;
  settings: AgentSettings;
  /** Program and leading arguments, resolved. */
  program: readonly string[];
  /** The private HOME. */
  home: string;
  /** Where the agent works; a copy of the task's directory without a sandbox. */
  directory: string;
  /** The earlier conversation, by the agent's own id. */
  resume?: { session: string; fork: boolean };
  /** Variables that reach the child: the login's and those of the settings. */
  variables: Readonly<Record<string, string>>;
  /** Whether a jail already keeps the agent from writing. */
  jailed: boolean;
};

/** Everything needed to start the agent. `files` are written below HOME first. */
export type Launch = {
  argv: readonly string[];
  environment: Readonly<Record<string, string>>;
  files: Readonly<Record<string, string>>;
  stdin: string;
  /** The conversation's id, where the agent takes one from us and prints none. */
  session?: string;
};

/** The meaning of one line of output, in terms that all agents share. */
export type Signal =
  | { type: 'session'; id: string; model?: string }
  | { type: 'text'; text: string; whole?: boolean }
  /** A tool ran or a step began: the text so far was narration, not the answer. */
  | { type: 'narration-end' }
  | { type: 'tool-start'; tool: string; call?: string; detail?: string }
  | { type: 'tool-end'; tool?: string; call?: string; failed: boolean }
  | { type: 'retry'; reason: string }
  /** A `passing` failure is forgotten when the agent tries again or succeeds; a `vague` one yields to any other. */
  | { type: 'failure'; message: string; kind?: LaneKind; status?: number; passing?: boolean; vague?: boolean }
  /** `add` sums up, `total` is this run so far, `session` counts earlier runs of the conversation too. */
  | { type: 'usage'; usage: Usage; scope: 'add' | 'total' | 'session' }
  /** What the account has left; alone it is neither success nor failure. */
  | { type: 'limit'; note: LimitNote }
  | { type: 'success'; text?: string; value?: unknown }
  /** A sign of trouble; `allowed` of the same name in a row are enough to end the process. */
  | { type: 'strike'; name: string; allowed: number; kind: LaneKind; message: string }
  | { type: 'strike-clear'; name: string };

/** What a driver needs to talk with its agent in turns. */
export type Conversation = {
  request: BuildRequest;
  context: CallContext;
  /** Starts the process with its input open; it is ended when the given signal aborts. */
  start: (parts: Pick<ProcessRequest, 'onLine' | 'signal'>) => RunningProcess;
};

/** One agent program: its command and its language, as pure functions, and its facts, as data. */
export type Driver = {
  title: string;
  family: string;
  /** What the jail keeps from being written; `disk` when absent. */
  guard?: 'disk' | 'project';
  /** Names of the program on PATH, the preferred first. */
  programs: readonly string[];
  /** Native binaries inside the npm package, below the folder `node_modules`; `{os}` and `{cpu}` are filled in. */
  natives: readonly string[];
  versionArguments: readonly string[];
  capabilities: Capabilities;
  login: Login;
  /** Says nothing until it has finished; only the wall clock can tell that it hangs. */
  silent?: boolean;
  /** Its provider counts each model's calls apart. */
  quotaPerModel?: true;
  /** Exit code 0 is the only success event. */
  succeedsByExit?: boolean;
  /** Folders below HOME into which the program unpacks itself at its first start; lanes share one copy, read-only. */
  unpacks?: readonly string[];
  build(request: BuildRequest): Launch;
  /** The meaning of one line. Must not throw on any text. */
  parse(line: string): readonly Signal[];
  /** Takes the place of `parse` for agents that are talked with instead of listened to. */
  converse?(conversation: Conversation): Promise<{ reading: Reading; exit: ProcessExit }>;
  /** What its files below HOME say about the limits of the account, where stdout says nothing. */
  limitNote?(home: string): Promise<LimitNote | undefined>;
  /** A file below HOME from which usage is read after the run, where stdout has none. */
  usageFile?: { path: string; scope: 'run' | 'session'; read(text: string): Usage | undefined };
};

/** The smallest agent there is: prompt on stdin, answer on stdout, exit code 0. */
export const exec: Driver = {
  title: 'Program',
  family: 'exec',
  // The user's program may keep its own files, but must not touch the work.
  guard: 'project',
  programs: [],
  natives: [],
  versionArguments: [],
  capabilities: {
    write: true,
    schema: false,
    resume: false,
    fork: false,
    usage: false,
    trust: 'terminal-event',
  },
  login: { files: [], variables: [] },
  silent: true,
  succeedsByExit: true,
  build: ({ program, task }) => ({
    argv: program,
    environment: {},
    files: {},
    stdin: task.prompt,
  }),
  parse: (line) => [{ type: 'text', text: `${line}\n` }],
};
