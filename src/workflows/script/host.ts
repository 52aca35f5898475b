import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { findBubblewrap } from '../../agents/jail.ts';
import type { World } from '../../agents/settings.ts';
import { CharretteError } from '../../base/errors.ts';
import { readJson } from '../../base/safe-json.ts';
import { programFile } from './inspector.ts';
import { type FromHost, fromHostSchema, type ToHost } from './messages.ts';

/** W-172: one message, and how long a script may run without giving the loop back. */
const maxLine = 20 * 1024 * 1024;
const loopMs = 30_000;
const startMs = 60_000;
const memoryMiB = 256;
/** Messages between two rests; a script that sends more is ended. */
const maxBurst = 50_000;

/** The process that runs a workflow file, seen from here: hostile (W-144). */
export type Host = {
  send(message: ToHost): void;
  /** The next message; throws when the process ended, was silent too long, or said what it may not say. */
  next(): Promise<FromHost>;
  close(): void;
};

/** W-143: `network` is open where no bubblewrap works. */
export function hostCommand(world: World): { argv: string[]; network: boolean } {
  const program = programFile('host-program');
  const node = realpathSync(process.execPath);
  // In a checkout the sources are run as they are, and import each other and packages.
  const sources = path.resolve(program, '../../..');
  const readable = program.endsWith('.ts')
    ? [sources, path.resolve(sources, '../node_modules'), path.resolve(sources, '../package.json')]
    : [program];
  const command = [
    node,
    '--no-warnings',
    '--permission',
    ...readable.map((place) => `--allow-fs-read=${place}${path.extname(place) === '' ? '/*' : ''}`),
    '--disallow-code-generation-from-strings',
    `--max-old-space-size=${memoryMiB}`,
    program,
  ];
  const bubblewrap = findBubblewrap(world);
  if (bubblewrap === undefined) return { argv: command, network: true };
  const shown = [
    '/usr',
    '/lib',
    '/lib64',
    '/bin',
    '/sbin',
    '/etc/ld.so.cache',
    path.dirname(node),
    ...readable,
  ];
  const mounts = shown.filter((place) => existsSync(place)).flatMap((place) => ['--ro-bind', place, place]);
  const jail = ['--unshare-all', '--die-with-parent', '--new-session', '--clearenv', '--dev', '/dev'];
  return {
    argv: [bubblewrap, ...jail, '--proc', '/proc', '--tmpfs', '/tmp', ...mounts, '--chdir', '/', ...command],
    network: false,
  };
}

export function startHost(world: World, signal: AbortSignal): Host {
  const [program = '', ...args] = hostCommand(world).argv;
  const child = spawn(program, args, { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'ignore'] });
  return watch(child, signal);
}

function watch(child: ChildProcess, signal: AbortSignal): Host {
  const messages: FromHost[] = [];
  let [failure, wake]: [Error | undefined, () => void] = [undefined, () => {}];
  let burst = 0;
  const fail = (error: Error) => {
    failure ??= error;
    child.kill('SIGKILL');
    wake();
  };
  const abort = () =>
    fail(signal.reason instanceof Error ? signal.reason : new Error('The run is being stopped.'));
  let timer = setTimeout(() => fail(hostError('did not start in time')), startMs);
  const restart = () => {
    clearTimeout(timer);
    timer = setTimeout(() => fail(tooBusy()), loopMs);
  };
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  child.on('error', () => fail(hostError('could not be started')));
  child.on('close', () => fail(hostError('ended by itself, possibly because it used too much memory')));
  child.stdin?.on('error', () => {});
  let [pieces, size]: [string[], number] = [[], 0];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = text.split('\n');
    for (const [index, line] of lines.entries()) {
      if (failure !== undefined) return;
      pieces.push(line);
      size += line.length;
      if (size > maxLine) return fail(hostError(`sent a line of more than ${maxLine} characters`));
      if (index === lines.length - 1) break;
      receive(pieces.join(''));
      [pieces, size] = [[], 0];
    }
  });
  const receive = (line: string) => {
    const reading = readJson(line, maxLine);
    const parsed = reading.ok ? fromHostSchema.safeParse(reading.value) : undefined;
    burst += 1;
    if (parsed?.success !== true) return fail(hostError('sent a line that is not a message'));
    if (burst > maxBurst) return fail(hostError(`sent more than ${maxBurst} messages at once`));
    // While nothing is asked of it, the process may be as quiet as it likes.
    if (parsed.data.type === 'rest' || parsed.data.type === 'end') {
      clearTimeout(timer);
      burst = 0;
    }
    messages.push(parsed.data);
    wake();
  };
  return {
    send(message) {
      restart();
      child.stdin?.write(`${JSON.stringify(message)}\n`);
    },
    async next() {
      for (;;) {
        const message = messages.shift();
        if (message !== undefined) return message;
        if (failure !== undefined) throw failure;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    close() {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      failure ??= hostError('was closed');
      child.kill('SIGKILL');
    },
  };
}

function hostError(what: string): CharretteError {
  return new CharretteError({
    code: 'workflow-host',
    message: `The process that runs the workflow file ${what}.`,
  });
}

function tooBusy(): CharretteError {
  return new CharretteError({
    code: 'workflow-limit',
    message: `The workflow file ran ${loopMs / 1000} s without waiting for anything. A loop probably has no end.`,
  });
}
