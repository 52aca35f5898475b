import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { isRecord, readJson } from '../../base/safe-json.ts';
import type { RunEvent } from '../../engine/event.ts';
import type { ProgramContext } from './context.ts';

/** A run in a process of its own: its events as they happen, and how the process ended. */
export type RunChild = {
  events: AsyncGenerator<RunEvent>;
  /** Told of every event before it is read. */
  observe(listener: (event: RunEvent) => void): () => void;
  /** Stops it gracefully, however often it is called; everything finished is saved. */
  stop(): void;
  /** `said`: its last words, the error that ended it included. */
  ended: Promise<{ code: number; said: string }>;
};

const saidLimit = 64 * 1024;

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
  // One that ends without having read it says why.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  let said = '';
  const hear = (text: string) => {
    said = `${said}${text}`.slice(-saidLimit);
  };
  child.stderr.on('data', (chunk) => hear(String(chunk)));
  const listeners = new Set<(event: RunEvent) => void>();
  const waiting: RunEvent[] = [];
  let wake: (() => void) | undefined;
  let over = false;
  let stopping = false;
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const reading = readJson(line);
    if (!reading.ok || !isRecord(reading.value)) return;
    const { type, error } = reading.value;
    if (isRecord(error))
      hear(`${String(error['message'])} [${String(error['code'])}]\n  fix: ${String(error['fix'])}\n`);
    if (typeof type !== 'string') return;
    const event = reading.value as unknown as RunEvent;
    waiting.push(event);
    for (const listener of listeners) listener(event);
    wake?.();
  });
  const ended = new Promise<{ code: number; said: string }>((resolve) => {
    const end = (code: number) => {
      over = true;
      wake?.();
      resolve({ code, said });
    };
    child.on('error', (error) => {
      hear(error.message);
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
    stop() {
      // A second signal would end it at once, with nothing saved.
      if (!stopping) child.kill('SIGINT');
      stopping = true;
    },
    ended,
  };
}
