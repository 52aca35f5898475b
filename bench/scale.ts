// Ten thousand runs a day: what is used up first. `node bench/scale.ts [--runs 5] [--claims 50]` after a build; needs PostgreSQL.
// Exit 1 when the setting that the page recommends does not hold its goals.
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { calibrate, calibrationLine, table } from './calibration.ts';
import { type Goal, Verdicts } from './goals.ts';
import { measureQueue } from './scale/claims.ts';
import { measureRuns } from './scale/measure.ts';
import { type Outcome, type Setting, simulate } from './scale/simulate.ts';

const percent = (share: number) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
const seconds = (value: number) => (value < 120 ? `${value.toFixed(0)} s` : `${(value / 60).toFixed(0)} min`);
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`;
const { values: flags } = parseArgs({
  options: { runs: { type: 'string', default: '5' }, claims: { type: 'string', default: '50' } },
});
/** Looks of a worker at the queue in a second. */
const looks = 5;
const goals = {
  /** That many wait must not make a claim dear. */
  claim: { most: 3, unit: '×' },
  /** Of what came in a day, against what was finished. */
  unfinished: { most: 1.02, unit: '×' },
  claims: { most: 50, unit: '%' },
  server: { most: 50, unit: '%' },
} as const satisfies Record<string, Goal>;
const verdicts = new Verdicts();

process.stdout.write(
  `${new Date().toISOString().slice(0, 10)} · ${cpus().length} × ${cpus()[0]?.model.trim()} · ${(totalmem() / 1e9).toFixed(0)} GB\n`,
);
process.stdout.write(`${calibrationLine(calibrate())}\n`);
const queue = await measureQueue(Number(flags.claims));
const cost = { ...(await measureRuns(Number(flags.runs))), claims: queue.claims };
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

const claimRows = (what: string, list: typeof queue.claims) =>
  list.map(({ waiting, milliseconds }) => [
    `${what}, ${waiting.toLocaleString('en')} waiting`,
    `${milliseconds.toFixed(2)} ms`,
  ]);
const lookShare = (workers: number) => percent((workers * looks * queue.emptyLookMs) / 1000);
print(
  `measured: the queue, a quarter of ${flags.claims} claims is faster`,
  ['', ''],
  [
    ...claimRows('a claim', queue.claims),
    ...claimRows('a poll in vain, none that the worker can do', queue.inVain),
    ['a poll of an empty queue', `${queue.emptyLookMs.toFixed(2)} ms`],
    ...[8, 32].map((workers) => [
      `deciding, while ${workers} workers look ${looks} times a second`,
      lookShare(workers),
    ]),
    ['row of an ended run', `${queue.endedRowBytes.toFixed(0)} bytes`],
    ['rows of a year', `${((queue.endedRowBytes * perDay * 365) / 1e9).toFixed(1)} GB`],
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
/** What the page tells people to use. */
const recommended = ['8 workers, --limit 24, 32 calls each', '24 such, calls of 180 s'];
const variants: [string, Partial<Setting>][] = [
  ['8 workers as they come (4 runs, 8 calls)', {}],
  ['16 workers as they come', { workers: 16 }],
  ['32 workers as they come', { workers: 32 }],
  ['8 workers, --limit 24, 32 calls each', { runsPerWorker: 24, callsPerWorker: 32 }],
  ['8 such, providers allow 100 calls', { runsPerWorker: 24, callsPerWorker: 32, callsAtOnce: 100 }],
  ['8 such, calls of 180 s', { runsPerWorker: 24, callsPerWorker: 32, callSeconds: 180 }],
  ['24 such, calls of 180 s', { workers: 24, runsPerWorker: 24, callsPerWorker: 32, callSeconds: 180 }],
];
const outcomes = variants.map(([name, change]) => ({
  name,
  outcome: simulate(cost, { ...usual, ...change }),
}));
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
    'claims',
    'worker core',
    'server cores',
    'used up first',
  ],
  outcomes.map(({ name, outcome }) => {
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
      percent(busy.claims),
      percent(busy.worker),
      percent(busy.server),
      firstUsedUp(outcome),
    ];
  }),
);

const [few, many] = [queue.claims[0]?.milliseconds ?? 0, queue.claims.at(-1)?.milliseconds ?? Number.NaN];
const judged = (what: string, value: number, shown: string, goal: Goal) => [
  what,
  shown,
  ...verdicts.judge(what, value, goal),
];
const ratio = (what: string, value: number, goal: Goal) => judged(what, value, `${value.toFixed(2)}×`, goal);
const share = (what: string, value: number, goal: Goal) => judged(what, value * 100, percent(value), goal);
print(
  'what must hold',
  ['', '', 'goal', 'verdict'],
  [
    ratio('a claim, 10,000 waiting against 10', many / few, goals.claim),
    ...outcomes
      .filter(({ name }) => recommended.includes(name))
      .flatMap(({ name, outcome: { came, finished, busy } }) => [
        ratio(`${name}: runs that came against finished`, came / finished, goals.unfinished),
        share(`${name}: claims in the busiest hour`, busy.claims, goals.claims),
        share(`${name}: server cores in the busiest hour`, busy.server, goals.server),
      ]),
  ],
);
verdicts.conclude();

/** What is used up innermost: whatever waits for it is full as well. */
function firstUsedUp({ busy }: Outcome): string {
  const inner = [
    ['server', 'the server'],
    ['claims', 'claims'],
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
