import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { CharretteError } from '../../base/errors.ts';
import { joinTruncated } from '../../base/text/strings.ts';

/** Time for a program to remove its lock files after SIGTERM. */
const graceMs = 2000;

/** Ends a process group: SIGTERM first, SIGKILL after a grace period. */
function endGroup(leader: ChildProcess): void {
  signalGroup(leader, 'SIGTERM');
  const last = setTimeout(() => signalGroup(leader, 'SIGKILL'), graceMs);
  leader.once('exit', () => {
    clearTimeout(last);
    signalGroup(leader, 'SIGKILL');
  });
}

const bound = new Set<ChildProcess>();
let isListening = false;

/** A separate group receives no Ctrl-C and would outlive the program: ends it with the program. */
function endWithProgram(leader: ChildProcess): void {
  bound.add(leader);
  leader.once('close', () => bound.delete(leader));
  if (isListening) return;
  isListening = true;
  process.on('exit', () => {
    for (const each of bound) signalGroup(each, 'SIGTERM');
  });
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // All of it has gone in the meantime, which is what was wanted.
  }
}

export type GitResult = {
  /** Exit code; `undefined` when git could not be run, was stopped or said too much. */
  code: number | undefined;
  stdout: string;
  stderr: string;
  /** Why the exit code is missing. */
  problem?: string;
};

export type GitOptions = {
  input?: string;
  maximumBytes?: number;
  timeoutMs?: number;
  /** Git looks for a repository below this folder only. */
  ceiling?: string;
  signal?: AbortSignal;
  /** Objects that a partial clone lacks are not fetched. */
  offline?: boolean;
  /** A file to use as the index instead of the repository's own. */
  index?: string;
  /** The environment to choose from; only the variables of the safelist are passed on. */
  environment?: NodeJS.ProcessEnv;
};

/** What git may see of the caller's environment: its configuration, its way to the network, nothing that names a repository. */
const gitEnvironmentKeys = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'XDG_CONFIG_HOME',
  'TMPDIR',
  'SystemRoot',
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'GIT_SSH_COMMAND',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_AUTHOR_DATE',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
  'GIT_COMMITTER_DATE',
] as const;

const defaults = { maximumBytes: 64 * 1024 * 1024, timeoutMs: 120_000 };

/**
 * For commands that change a working tree: hooks and filters may take long, and one that is killed leaves half of its work. They also
 * continue when the program is left in a hurry.
 */
export const untilDone = { timeoutMs: Number.POSITIVE_INFINITY } as const;

/** Runs git with an argument list, without shell, pager or prompts. A failing command is a result, not an exception. */
export async function runGit(
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const chunks: Buffer[] = [];
  const end = await startGit(directory, args, options, (chunk) => chunks.push(chunk));
  return { ...end, stdout: Buffer.concat(chunks).toString('utf8') };
}

function startGit(
  directory: string,
  args: readonly string[],
  options: GitOptions,
  onChunk: (chunk: Buffer) => void,
): Promise<Omit<GitResult, 'stdout'>> {
  const { input, maximumBytes = defaults.maximumBytes, timeoutMs = defaults.timeoutMs, signal } = options;
  return new Promise((resolve) => {
    const child = spawn(
      'git',
      ['--no-pager', '-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false', ...args],
      {
        cwd: directory,
        env: gitEnvironment(options),
        stdio: ['pipe', 'pipe', 'pipe'],
        // A separate group: Ctrl-C in the terminal must not interrupt a change of the tree, and ssh ends with its git.
        detached: true,
      },
    );
    const isLimited = Number.isFinite(timeoutMs);
    if (isLimited) endWithProgram(child);
    let size = 0;
    let stderr = '';
    let problem: string | undefined;
    // Children of git may hold its pipes open; do not wait for them once git must end.
    const release = () => {
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const stop = (reason: string) => {
      if (problem !== undefined) return;
      problem = reason;
      endGroup(child);
      if (child.exitCode !== null || child.signalCode !== null) release();
      else child.once('exit', release);
    };
    const abort = () => stop('stopped on request');
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    const limit = isLimited
      ? setTimeout(() => stop(`stopped after ${timeoutMs / 1000} s`), timeoutMs)
      : undefined;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maximumBytes) onChunk(chunk);
      else stop(`more than ${maximumBytes} bytes of output`);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < 8000) stderr += chunk.toString('utf8');
    });
    child.on('error', (error) => {
      // The system reports a missing program and a missing directory alike.
      problem ??= existsSync(directory) ? error.message : `the directory ${directory} does not exist`;
    });
    child.on('close', (code, killedBy) => {
      clearTimeout(limit);
      signal?.removeEventListener('abort', abort);
      if (code !== null && problem === undefined) resolve({ code, stderr: stderr.trim() });
      else resolve({ code: undefined, stderr: stderr.trim(), problem: problem ?? `stopped by ${killedBy}` });
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
  });
}

/** The output of a git command that has to succeed. */
export async function gitOutput(
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  const result = await runGit(directory, args, options);
  if (result.code === 0) return result.stdout;
  throw gitError(args, result);
}

/** The one line that a git command prints, without its end. */
export async function gitLine(
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  return (await gitOutput(directory, args, options)).replace(/\r?\n$/, '');
}

/** Streams the output of a git command that has to succeed, to save memory. */
export async function streamGit(
  directory: string,
  args: readonly string[],
  onChunk: (chunk: Buffer) => void,
  options: GitOptions = {},
): Promise<void> {
  const end = await startGit(directory, args, options, onChunk);
  options.signal?.throwIfAborted();
  if (end.code !== 0) throw gitError(args, { ...end, stdout: '' });
}

export function gitError(args: readonly string[], result: GitResult): CharretteError {
  if (/ENOENT/.test(result.problem ?? '')) {
    return new CharretteError({
      code: 'git-missing',
      message: 'git is not on PATH; Charrette reads repositories with it.',
      fix: 'Install git, or put it on PATH.',
    });
  }
  const reason = reasonOf(result);
  if (/not a git repository/i.test(result.stderr)) {
    return new CharretteError({
      code: 'not-a-repository',
      message: 'The directory is not inside a git repository.',
      fix: 'Run the command inside a git repository, or make one with `git init`.',
    });
  }
  if (/dubious ownership/i.test(result.stderr)) {
    return new CharretteError({
      code: 'permission-denied',
      message: 'git refuses to work here because the repository belongs to another user.',
      fix: 'Add the directory to `safe.directory` in your git configuration if you trust it.',
    });
  }
  return new CharretteError({
    code: 'git-failed',
    message: `git ${commandOf(args)} failed: ${reason.slice(0, 500)}`,
  });
}

/** The problem of a result in one line, for people; with the first of the files that git lists below it. */
export function reasonOf(result: GitResult): string {
  const reason = firstLine(result.problem ?? result.stderr);
  if (!reason.endsWith(':')) return reason || `exit code ${result.code}`;
  const files = result.stderr.split('\n').filter((text) => text.startsWith('\t'));
  return `${reason} ${joinTruncated(files.map((text) => text.trim()))}`.trim();
}

export function splitNul(text: string): string[] {
  return text.split('\0').filter((part) => part !== '');
}

function gitEnvironment({
  environment = process.env,
  offline,
  ceiling,
  index,
}: GitOptions): NodeJS.ProcessEnv {
  const passed = gitEnvironmentKeys.flatMap((key) => {
    const value = environment[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    ...Object.fromEntries(passed),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_EDITOR: 'true',
    ...(offline === true ? { GIT_NO_LAZY_FETCH: '1' } : {}),
    ...(ceiling === undefined ? {} : { GIT_CEILING_DIRECTORIES: ceiling }),
    ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
  };
}

function commandOf(args: readonly string[]): string {
  return args.find((argument, at) => !argument.startsWith('-') && args[at - 1] !== '-c') ?? '';
}

function firstLine(text: string): string {
  return (
    text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  );
}
