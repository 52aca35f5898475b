// Ten thousand runs a day: what is used up first. `node bench/scale.ts` after a build; needs PostgreSQL.
import { cpus, totalmem } from 'node:os';
import { calibrate, calibrationLine, table } from './calibration.ts';
import { measureRuns } from './scale/measure.ts';
import { type Outcome, type Setting, simulate } from './scale/simulate.ts';

const percent = (share: number) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
const seconds = (value: number) => (value < 120 ? `${value.toFixed(0)} s` : `${(value / 60).toFixed(0)} min`);
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`;

process.stdout.write(
  `${new Date().toISOString().slice(0, 10)} · ${cpus().length} × ${cpus()[0]?.model.trim()} · ${(totalmem() / 1e9).toFixed(0)} GB\n`,
);
process.stdout.write(`${calibrationLine(calibrate())}\n`);
const cost = await measureRuns();
const perDay = 10_000;
print(
  `measured: a regular panel run through \`charrette worker\`, mean of ${cost.runs}`,
  ['', 'per run', `per day at ${perDay.toLocaleString('en')} runs`],
  [
    ['agent calls', cost.calls.toFixed(1), (cost.calls * perDay).toLocaleString('en')],
    ['tasks one after another', String(cost.phases.length), ''],
    ['journaled steps', cost.steps.toFixed(0), (cost.steps * perDay).toLocaleString('en')],
    [
      'transactions',
      cost.transactions.toFixed(0),
      Math.round(cost.transactions * perDay).toLocaleString('en'),
    ],
    ['store', megabytes(cost.storeBytes), `${((cost.storeBytes * perDay) / 1e9).toFixed(1)} GB`],
    ['write-ahead log', megabytes(cost.walBytes), `${((cost.walBytes * perDay) / 1e9).toFixed(1)} GB`],
    ['worker, processor time of a call, waiting included', `${cost.workerMsPerCall.toFixed(0)} ms`, ''],
    ['server, processor time of a call, waiting included', `${cost.serverMsPerCall.toFixed(0)} ms`, ''],
    ['worker that waits, of a second', `${cost.idleWorkerMs.toFixed(0)} ms`, ''],
    ['server for a worker that waits, of a second', `${cost.idleServerMs.toFixed(0)} ms`, ''],
  ],
);

const usual: Setting = {
  runsPerDay: perDay,
  peak: 2,
  workers: 8,
  runsPerWorker: 4,
  callsPerWorker: 8,
  serverCores: 2,
  callSeconds: 60,
  callsAtOnce: 1000,
};
const variants: [string, Partial<Setting>][] = [
  ['8 workers as they come (4 runs, 8 calls)', {}],
  ['16 workers as they come', { workers: 16 }],
  ['32 workers as they come', { workers: 32 }],
  ['8 workers, --limit 24, 32 calls each', { runsPerWorker: 24, callsPerWorker: 32 }],
  ['8 such, providers allow 100 calls', { runsPerWorker: 24, callsPerWorker: 32, callsAtOnce: 100 }],
  ['8 such, calls of 180 s', { runsPerWorker: 24, callsPerWorker: 32, callSeconds: 180 }],
  ['24 such, calls of 180 s', { workers: 24, runsPerWorker: 24, callsPerWorker: 32, callSeconds: 180 }],
];
print(
  `simulated: ${perDay.toLocaleString('en')} runs in a day, twice the average at noon, calls of ${usual.callSeconds} s ± half, ${usual.serverCores} server cores`,
  [
    '',
    'finished',
    'wait p50',
    'wait p99',
    'longest line',
    'places',
    'calls',
    'provider',
    'worker core',
    'server cores',
    'used up first',
  ],
  variants.map(([name, change]) => {
    const setting = { ...usual, ...change };
    const outcome = simulate(cost, setting);
    const { busy } = outcome;
    return [
      name,
      outcome.finished.toLocaleString('en'),
      seconds(outcome.waitP50),
      seconds(outcome.waitP99),
      outcome.longestLine.toLocaleString('en'),
      percent(busy.places),
      percent(busy.calls),
      percent(busy.provider),
      percent(busy.worker),
      percent(busy.server),
      firstUsedUp(outcome),
    ];
  }),
);

/** What is used up innermost: whatever waits for it is full as well. */
function firstUsedUp({ busy }: Outcome): string {
  const inner = [
    ['server', 'the server'],
    ['worker', 'a core of a worker'],
    ['provider', 'providers'],
    ['calls', 'calls of a process'],
    ['places', 'places'],
  ] as const;
  return inner.find(([key]) => busy[key] >= 0.95)?.[1] ?? 'nothing';
}

function print(title: string, head: string[], rows: string[][]): void {
  process.stdout.write(`\n${title}\n${table([head, ...rows])}\n`);
}
