import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Exploration, Finding } from './explore.ts';
import type { Growth } from './growth.ts';

export type Job = Limits & { names: readonly string[]; shared: SharedArrayBuffer };

/** For each target: how long, and how many texts at most. */
type Limits = { milliseconds: number; texts: number; seed: number };

export type Report = Omit<Exploration, 'kept' | 'findings'> &
  Omit<Growth, 'finding'> & { name: string; kept: number; findings: Finding[] };

type Message = { type: 'start'; name: string } | { type: 'report'; report: Report };

/** One text must be dealt with in this time of a processor; by the clock, processors may be shared with others. */
const hangMs = { processor: 15_000, clock: 120_000 };
const memoryMegabytes = 768;
const longest = 300_000;

/** Tries each target for a while, in a thread that may hang or run out of memory: that is a finding, the rest continues. */
export async function runTargets(
  names: readonly string[],
  options: Limits & { onReport: (report: Report) => void },
): Promise<void> {
  let waiting = [...names];
  while (waiting.length > 0) {
    const end = await runThread(waiting, options);
    if (end === undefined) return;
    options.onReport({
      name: end.name,
      executions: end.executions,
      ...{ atStart: 0, found: 0, kept: 0, perKilobyte: 0, kilobytes: 0, exponent: 0 },
      findings: [end.finding],
    });
    waiting = waiting.slice(waiting.indexOf(end.name) + 1);
  }
}

type Early = { name: string; executions: number; finding: Finding };

function runThread(
  names: readonly string[],
  { onReport, ...limits }: Limits & { onReport: (report: Report) => void },
): Promise<Early | undefined> {
  const shared = new SharedArrayBuffer(8 + longest * 2);
  const header = new Int32Array(shared, 0, 2);
  const job: Job = { names, ...limits, shared };
  const worker = new Worker(path.join(import.meta.dirname, 'worker.ts'), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // Libraries complain about their input thousands of times; drop that output.
    stderr: true,
  });
  return new Promise((resolve, reject) => {
    let name: string | undefined;
    let atStart = 0;
    let count = -1;
    let since = { clock: Date.now(), processor: processorMs() };
    const stop = (finding: Omit<Finding, 'input'>) => {
      clearInterval(watch);
      void worker.terminate();
      if (name === undefined) return reject(new Error(finding.message));
      const input = Buffer.from(new Uint8Array(shared, 8, (header[1] ?? 0) * 2)).toString('utf16le');
      resolve({ name, executions: (header[0] ?? 0) - atStart, finding: { ...finding, input } });
    };
    const watch = setInterval(() => {
      const now = Atomics.load(header, 0);
      if (now !== count) {
        count = now;
        since = { clock: Date.now(), processor: processorMs() };
      } else if (
        name !== undefined &&
        (processorMs() - since.processor > hangMs.processor || Date.now() - since.clock > hangMs.clock)
      ) {
        stop({ kind: 'hang', message: `no answer within ${hangMs.processor / 1000} s` });
      }
    }, 250);
    worker.on('message', (message: Message) => {
      if (message.type === 'report') onReport(message.report);
      else {
        name = message.name;
        atStart = Atomics.load(header, 0);
      }
    });
    worker.on('error', (error: Error & { code?: string }) => {
      const memory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      stop({ kind: memory ? 'memory' : 'crash', message: `${error.name}: ${error.message}` });
    });
    worker.on('exit', () => {
      clearInterval(watch);
      resolve(undefined);
    });
  });
}

/** What this process has used; the thread that watches uses next to nothing. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
