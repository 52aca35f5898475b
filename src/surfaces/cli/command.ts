import type { ExitCode } from '../../base/error-table.ts';

/** One flag as commander reads it: `--budget <tokens>`. */
export type OptionSpec = {
  flags: string;
  description: string;
  /** Turns the raw text into a value; throws a CharretteError on bad input. */
  /** One that takes the previous value collects: the flag may be given more than once. */
  parse?: (value: string, previous: unknown) => unknown;
  choices?: readonly string[];
  default?: unknown;
  /** The flag without which this one says nothing: `--queue`. */
  needs?: string;
};

/** A command as data; the runner builds the parser, the help page and the completion from it. */
export type CommandSpec = {
  name: string;
  summary: string;
  /** Shown first on the help page, one command line each, with what it does. */
  examples: readonly (readonly [command: string, does: string])[];
  /** Positional arguments in commander's notation: `<feature...>`, `[path]`. */
  arguments?: readonly (readonly [notation: string, description: string])[];
  options?: readonly OptionSpec[];
  /** L-001: name of an option after which flags end at the first word of the text. */
  flagsEndWith?: string;
  subcommands?: Readonly<Record<string, LazyCommand>>;
  /**
   * How the command keeps the promise of --dry-run: it `says` what it would do, or it only `reads` anyway. One that
   * declares nothing cannot keep it, and the flag is refused.
   */
  dryRun?: 'says' | 'reads';
  run?: (invocation: Invocation) => Promise<CommandResult>;
};

export type LazyCommand = { summary: string; load: () => Promise<CommandSpec> };

export type GlobalFlags = {
  output: 'text' | 'json' | 'stream-json';
  cwd: string;
  /** Absolute, as `cwd`. */
  config: string | undefined;
  quiet: boolean;
  verbose: boolean;
  /** Whether what goes there may be coloured. */
  color: { stdout: boolean; stderr: boolean };
  /** Lines instead of a picture, also on a terminal. */
  plain: boolean;
  /** Whether a picture may move. */
  motion: boolean;
  input: boolean;
  yes: boolean;
  dryRun: boolean;
  timeoutMs: number | undefined;
};

/** Everything the outside world is to a command; tests pass their own. */
export type Terminal = {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number };
  env: NodeJS.ProcessEnv;
};

export type Invocation = {
  /** Positional arguments, a variadic one as an array. */
  arguments: readonly (string | string[] | undefined)[];
  options: Readonly<Record<string, unknown>>;
  global: GlobalFlags;
  terminal: Terminal;
  /** Aborted by Ctrl-C, SIGTERM or --timeout. */
  signal: AbortSignal;
};

/** What a command gives back: data for people (`text`, to stdout) and for programs (`json`). One place prints it. */
export type CommandResult = {
  exit: ExitCode;
  text?: string;
  json?: unknown;
  /** The events of a run were its output; with `--output stream-json` nothing is added to them. */
  streamed?: boolean;
};
