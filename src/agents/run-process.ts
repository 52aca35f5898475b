import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LineSplitter, OutputBudget, recordStream, Tail } from './process/output.ts';
import {
  defaultLimits,
  descendants,
  type EndReason,
  endTree,
  lookAt,
  type ProcessLimits,
  type ProcessRecord,
  passedLimit,
  recordEnd,
  recordProcess,
  rootOf,
  startWatch,
  tickMs,
} from './process/process-tree.ts';
import { laneMarkerVariable } from './settings.ts';

export type ProcessRequest = {
  /** Program and arguments; never a shell string. */
  argv: readonly string[];
  directory: string;
  /** The whole environment of the child; nothing is inherited. */
  environment: Readonly<Record<string, string>>;
  /** Values that must not be recorded or handed on, wherever the process says them. */
  secrets?: readonly string[];
  /** Written to stdin, which is then closed. Without it stdin stays open for a conversation. */
  input?: string;
  /** Gets `process.json`, `stream.jsonl` (stdout as it came) and `stderr.txt`. */
  laneDirectory: string;
  limits: { wallMs: number; idleMs: number } & Partial<ProcessLimits>;
  signal: AbortSignal;
  /** A sandbox ends all processes with the leader; a search for strays is not needed. */
  contained?: boolean;
  /** `finished` says that the answer is complete: unless more comes, the process has a few seconds to leave. */
  onLine: (line: string) => 'finished' | 'stop' | undefined;
};

/** How a process ended. `ended` says that it was us, and why; the code is then only a hint. */
export type ProcessExit = {
  code?: number;
  signal?: string;
  ended?: EndReason;
  /** The program could not be started at all. */
  startError?: string;
  /** The end of each stream, for messages. */
  stderr: string;
  stdout: string;
  outputBytes: number;
  durationMs: number;
  /** Processes of the lane that could not be ended: always empty on a sane system. */
  survivors: number;
};

export type RunningProcess = {
  pid: number | undefined;
  /** For conversations; errors of an ended child are ignored, its exit reports them. */
  write: (text: string) => void;
  closeInput: () => void;
  end: (reason: EndReason) => void;
  exited: Promise<ProcessExit>;
};

/** What a process wrote to stdout, in its lane. */
export const streamFile = 'stream.jsonl';

/** How long strays may stay after their leader. */
const strayGraceMs = 500;
/** How long the rest of the output may take to arrive; a busy machine needs more than it seems. */
const drainMs = 15_000;

/** Runs a process to its end. Never throws for what the process does; the exit says it. */
export async function runProcess(request: ProcessRequest): Promise<ProcessExit> {
  return startProcess(request).exited;
}

/** Starts a process and watches over it: limits, cancellation, recording, and that nothing survives. */
export function startProcess(request: ProcessRequest): RunningProcess {
  const started = performance.now();
  const marker = randomUUID();
  const [program = '', ...args] = request.argv;
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      cwd: request.directory,
      env: { ...request.environment, [laneMarkerVariable]: marker },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
    });
  } catch (error) {
    return notStarted(error, started);
  }
  const failure = new Promise<unknown>((resolve) => child.once('error', resolve));
  child.stdin?.on('error', () => {});
  const { pid } = child;
  if (pid === undefined) {
    return {
      ...notStarted(undefined, started),
      exited: failure.then((error) => notStarted(error, started).exited),
    };
  }
  let record: ProcessRecord;
  try {
    record = recordProcess(request.laneDirectory, pid, marker);
  } catch (error) {
    // It could not be found again, so it must not run.
    child.kill('SIGKILL');
    throw error;
  }
  if (request.input !== undefined) child.stdin?.end(request.input);
  const overseer = oversee(child, record, request, started);
  return {
    pid,
    write: (text) => void child.stdin?.write(text),
    closeInput: () => void child.stdin?.end(),
    ...overseer,
  };
}

function oversee(child: ChildProcess, record: ProcessRecord, request: ProcessRequest, started: number) {
  const limits: ProcessLimits = { ...defaultLimits, ...request.limits };
  const seen = new Map<number, string>();
  const budget = new OutputBudget(limits.outputBytes);
  const stderr = new Tail();
  const stdout = new Tail();
  let reason: EndReason | undefined;
  let ending: Promise<unknown> | undefined;
  let active = false;

  const end = (why: EndReason | undefined) => {
    if (ending !== undefined) return;
    reason = why;
    ending = endTree(rootOf(record, seen), limits.termGraceMs);
  };
  const splitter = new LineSplitter(limits.lineBytes, (line) => {
    if (ending !== undefined) return;
    const wanted = request.onLine(line);
    clearTimeout(linger);
    if (wanted === 'stop') end('driver');
    if (wanted === 'finished') linger = setTimeout(() => end(undefined), limits.lingerMs);
  });
  let linger: NodeJS.Timeout | undefined;

  let watch = startWatch(performance.now());
  const ticker = setInterval(() => {
    watch = lookAt(watch, performance.now(), active);
    active = false;
    // Children are noted while they still hang on the tree: a parent that dies would hide them.
    if (!request.contained) {
      for (const row of descendants(rootOf(record, seen))) seen.set(row.pid, row.start);
    }
    const passed = passedLimit(watch, limits);
    if (passed !== undefined) end(passed);
  }, tickMs);
  const cancel = () => end('cancelled');
  if (request.signal.aborted) cancel();
  request.signal.addEventListener('abort', cancel, { once: true });

  const recordTo = (stream: typeof child.stdout, file: string, onBytes: (chunk: Uint8Array) => void) =>
    stream === null
      ? Promise.resolve()
      : recordStream({
          stream,
          file: path.join(request.laneDirectory, file),
          budget,
          secrets: request.secrets ?? [],
          onBytes: (chunk) => {
            active = true;
            onBytes(chunk);
          },
          onExhausted: () => end('output'),
        });
  let broken: { error: unknown } | undefined;
  const streams = Promise.all([
    recordTo(child.stdout, streamFile, (chunk) => {
      stdout.push(chunk);
      splitter.push(chunk);
    }),
    recordTo(child.stderr, 'stderr.txt', (chunk) => stderr.push(chunk)),
  ]).catch((error: unknown) => {
    // A full disk or a failing reader: no one reads the output any more.
    broken ??= { error };
    end('driver');
  });
  const left = new Promise<{ code?: number; signal?: string }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
  });

  const exited = (async (): Promise<ProcessExit> => {
    let survivors = 0;
    try {
      const exit = await left;
      await ending;
      if (!request.contained || ending !== undefined) {
        survivors = (await endTree(rootOf(record, seen), strayGraceMs)).length;
      }
      // All of our processes are gone; do not wait for others that hold a pipe.
      await Promise.race([streams, sleep(drainMs, undefined, { ref: false })]);
      child.stdout?.destroy();
      child.stderr?.destroy();
      await streams;
      if (broken !== undefined) throw broken.error;
      splitter.end();
      return {
        ...exit,
        ended: reason,
        stderr: stderr.text,
        stdout: stdout.text,
        outputBytes: budget.used,
        durationMs: Math.round(performance.now() - started),
        survivors,
      };
    } finally {
      clearInterval(ticker);
      clearTimeout(linger);
      request.signal.removeEventListener('abort', cancel);
      if (survivors === 0) recordEnd(request.laneDirectory, record);
    }
  })();
  return { end, exited };
}

function notStarted(error: unknown, started: number): RunningProcess {
  const startError = error instanceof Error ? error.message : 'the program did not start';
  return {
    pid: undefined,
    write: () => {},
    closeInput: () => {},
    end: () => {},
    exited: Promise.resolve({
      startError,
      stderr: '',
      stdout: '',
      outputBytes: 0,
      durationMs: Math.round(performance.now() - started),
      survivors: 0,
    }),
  };
}
