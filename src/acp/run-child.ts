import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { RunEvent } from '../engine/event.ts';
import { isRecord, readJson } from '../safe-json.ts';
import type { ProgramContext } from './context.ts';

/** A run in a process of its own: its events as they happen, and how the process ended. */
export type RunChild = {
  events: AsyncGenerator<RunEvent>;
  /** Told of every event before it is read. */
  observe(listener: (event: RunEvent) => void): () => void;
  /** Stops it gracefully; everything finished is saved. */
  stop(): void;
  ended: Promise<{ code: number; stderr: string }>;
};

const stderrLimit = 64 * 1024;

/** Starts a run command of this program; words are given as they are, no shell reads them. `input` comes on its stdin. */
export function startRun(
  words: readonly string[],
  input: string,
  cwd: string,
  context: ProgramContext,
): RunChild {
  const [interpreter = process.execPath, ...script] = context.program;
  const config = context.config === undefined ? [] : ['--config', context.config];
  const flags = ['--output', 'stream-json', '--no-input', '--no-color', '--cwd', cwd, ...config];
  const child = spawn(interpreter, [...script, ...flags, ...words], {
    cwd,
    env: context.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // One that ends without having read it says why on stderr.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr = `${stderr}${chunk}`.slice(-stderrLimit);
  });
  const listeners = new Set<(event: RunEvent) => void>();
  const waiting: RunEvent[] = [];
  let wake: (() => void) | undefined;
  let over = false;
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const reading = readJson(line);
    if (!reading.ok || !isRecord(reading.value) || typeof reading.value['type'] !== 'string') return;
    const event = reading.value as unknown as RunEvent;
    waiting.push(event);
    for (const listener of listeners) listener(event);
    wake?.();
  });
  const ended = new Promise<{ code: number; stderr: string }>((resolve) => {
    const end = (code: number) => {
      over = true;
      wake?.();
      resolve({ code, stderr });
    };
    child.on('error', (error) => {
      stderr += error.message;
      end(1);
    });
    child.on('close', (code) => end(code ?? 1));
  });
  async function* read(): AsyncGenerator<RunEvent> {
    for (;;) {
      const event = waiting.shift();
      if (event !== undefined) yield event;
      else if (over) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  return {
    events: read(),
    observe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: () => void child.kill('SIGINT'),
    ended,
  };
}
