import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { CharretteError, isErrorCode } from '../../base/errors.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import type { ServerContext } from './tool.ts';

/** A run that goes on in a process of its own. `ended` resolves when that process is gone. */
export type Launched = { run: string; ended: Promise<void> };

const outputLimit = 256 * 1024;
const startLimitMs = 60_000;

/**
 * Starts a run command of this program apart from the server, so that the run survives it, and waits only until the run
 * has a name. A command that cannot start answers with its own error.
 */
export async function launchRun(words: readonly string[], context: ServerContext): Promise<Launched> {
  const [interpreter = process.execPath, ...script] = context.program;
  const config = context.config === undefined ? [] : ['--config', context.config];
  const flags = ['--json', '--no-input', '--no-color', '--cwd', context.cwd, ...config];
  const child = spawn(interpreter, [...script, ...flags, ...words], {
    cwd: context.cwd,
    env: context.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.unref();
  const printed = collect(child);
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => resolve());
    child.on('error', () => resolve());
  });
  const timer = new AbortController();
  const named = await Promise.race([
    printed.named,
    ended.then(() => resultOf(printed.stdout())),
    sleep(startLimitMs, undefined, { signal: timer.signal, ref: false }).catch(() => undefined),
  ]);
  timer.abort();
  if (named !== undefined) return { run: named, ended };
  throw new CharretteError({
    code: 'timed-out',
    message: `The run did not begin within ${startLimitMs / 1000} s; its process is ${child.pid}.`,
    fix: 'List the runs to see whether it began since; another run may hold the store.',
    retryable: true,
  });
}

/** The first line of a run on stderr says its name: `run <id>`, or `resuming <id>`. */
function collect(child: ChildProcess): { named: Promise<string>; stdout: () => string } {
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    if (stdout.length < outputLimit) stdout += chunk;
  });
  const named = new Promise<string>((resolve) => {
    child.stderr?.on('data', (chunk) => {
      if (stderr.length > outputLimit) return;
      stderr += chunk;
      const name = /^(?:run|resuming) ([a-z0-9-]+)$/m.exec(
        stderr.slice(0, stderr.lastIndexOf('\n') + 1),
      )?.[1];
      if (name !== undefined) resolve(name);
    });
  });
  return { named, stdout: () => stdout };
}

/** What a command that ended early printed: a run, or an error that is thrown here as its own. */
function resultOf(stdout: string): string {
  const reading = readJson(stdout);
  const value = reading.ok && isRecord(reading.value) ? reading.value : {};
  if (typeof value['run'] === 'string') return value['run'];
  const error = isRecord(value['error']) ? value['error'] : {};
  const { code, message, fix } = error;
  throw new CharretteError({
    code: typeof code === 'string' && isErrorCode(code) ? code : 'internal',
    message: typeof message === 'string' ? message : 'The program ended without a result.',
    ...(typeof fix === 'string' && { fix }),
  });
}
