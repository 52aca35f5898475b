import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemPath } from './optional-programs.ts';
import { type Ended, program } from './program.ts';

/** The built program while it runs: to be read, signalled and waited for. */
export type LiveProgram = {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves as soon as stderr holds the text; fails when the program ends before. */
  says(text: string | RegExp): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<Ended>;
};

/** Starts the built program with a clean environment: only PATH comes from the caller. */
export function startCharrette(
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string | undefined>; node?: readonly string[] },
): LiveProgram {
  const home = path.join(options.cwd, '.home');
  mkdirSync(home, { recursive: true });
  const child = spawn(process.execPath, [...(options.node ?? []), program, ...args], {
    cwd: options.cwd,
    env: { PATH: systemPath, HOME: home, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  let over = false;
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code, signal) => {
      over = true;
      resolve({ code, signal, stdout, stderr });
    }),
  );
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    async says(text) {
      while (!(typeof text === 'string' ? stderr.includes(text) : text.test(stderr))) {
        if (over) throw new Error(`the program ended without saying ${text}: ${stderr}${stdout}`);
        await sleep(20);
      }
    },
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

/** Waits for something that another process does. */
export async function until(condition: () => boolean, limitMs = 100_000): Promise<void> {
  const end = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`nothing happened within ${limitMs} ms`);
    await sleep(20);
  }
}
