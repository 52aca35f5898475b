// `npm run prove`: resumes from the state that a kill -9 leaves at every write of a whole run of every workflow, and checks
// that nothing is lost or done twice. `--points N` tries N writes of each, chosen by `--seed`; `--story NAME` only one.
// Without these two it also tries every fault, fuzzes every reader for `--fuzz-seconds N` (600), and measures growth, load and, for
// `--soak-minutes N` (20), a long life.
// `--minutes N` starts the next workflow after that time; `--scratch DIR` says where states are restored (a disk in memory is
// faster); `--write FILE` keeps what is printed, from the first result on. What was not tried is reported, and is a failure unless
// less was asked for with `--points` or `--story`.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { text as textOf } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { table } from '../bench/calibration.ts';
import { writeFileAtomic } from '../src/base/files/atomic.ts';
import { leftOut } from '../test/crash/left-out.ts';
import { type Proof, proveStory } from '../test/crash/prove-story.ts';
import { stories } from '../test/crash/stories.ts';

const { values: flags } = parseArgs({
  options: {
    points: { type: 'string' },
    seed: { type: 'string' },
    story: { type: 'string', multiple: true },
    minutes: { type: 'string' },
    write: { type: 'string' },
    // More than the two cores of a small machine: a resumed run waits for most of its time.
    parallel: { type: 'string', default: '4' },
    scratch: { type: 'string' },
    'fuzz-seconds': { type: 'string', default: '600' },
    'soak-minutes': { type: 'string', default: '20' },
  },
});
const seed = Number(flags.seed ?? Date.now() % 100_000);
const sample = flags.points === undefined ? undefined : { count: Number(flags.points), seed };
const limit = flags.minutes === undefined ? undefined : Number(flags.minutes) * 60_000;
const names = flags.story ?? stories.map(({ name }) => name);
const proofs: Proof[] = [];
const started = Date.now();
// On a signal it prints the results so far.
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

// All of it also means every fault, ten minutes of texts for every reader, and the measurements; a sample or a single
// workflow does not. What is measured against the clock comes last and alone.
const isWhole = flags.points === undefined && flags.story === undefined;
const besideEachOther = [
  ['scripts/faults.ts', '--worker-kills', 'all', '--whole'],
  ['scripts/fuzz.ts', '--seconds', flags['fuzz-seconds']],
  ['bench/soak.ts', '--minutes', flags['soak-minutes']],
];
const alone = [['bench/growth.ts'], ['bench/load.ts', '--workers', '0,2,4']];
/** What the scripts printed, and which they were. */
const printed: string[] = [];
const ran: string[] = [];
// The kills of workers take longest, so they begin first.
const jobs = [
  ...(isWhole ? besideEachOther.map((script) => () => runScript(script)) : []),
  ...names.map((name) => () => prove(name).catch((error) => tellLost(name, error))),
];
await Promise.all(Array.from({ length: Number(flags.parallel) }, work));
if (isWhole) for (const script of alone) if (!stopped.signal.aborted) await runScript(script);
process.stdout.write(report());
await keepReport();
if (proofs.some(({ failures }) => failures.length > 0) || (isWhole && missing().length > 0))
  process.exitCode = 1;

/** One of those who take up one job after another. */
async function work(): Promise<void> {
  for (let job = jobs.shift(); job !== undefined && !stopped.signal.aborted; job = jobs.shift()) {
    await job();
    await keepReport();
  }
}

/** Writes the results so far, so that an end in the last minute does not lose hours. */
async function keepReport(): Promise<void> {
  if (flags.write !== undefined) await writeFileAtomic(flags.write, report());
}

function report(): string {
  const sorted = proofs.sort((one, two) => names.indexOf(one.story) - names.indexOf(two.story));
  return [render(sorted), ...printed].join('\n');
}

async function runScript(script: readonly string[]): Promise<void> {
  const args = ['--disable-warning=ExperimentalWarning', ...script];
  // A separate process group, so that a stop reaches everything it started.
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const end = () => child.pid !== undefined && child.exitCode === null && process.kill(-child.pid);
  stopped.signal.addEventListener('abort', end);
  const [output, [status]] = await Promise.all([textOf(child.stdout), once(child, 'exit')]);
  process.stderr.write(`${script.join(' ')}: exit ${status}\n`);
  printed.push(`== ${script.join(' ')}\n${output}`);
  if (!stopped.signal.aborted) ran.push(script.join(' '));
  if (status !== 0) process.exitCode = 1;
}

/** What was not tried so far. */
function missing(): string[] {
  const scripts = isWhole ? [...besideEachOther, ...alone].map((script) => script.join(' ')) : [];
  return leftOut({ stories: names, scripts }, { proofs, scripts: ran });
}

async function prove(name: string): Promise<void> {
  let tried = 0;
  const proof = await proveStory(name, {
    sample,
    signal: stopped.signal,
    scratch: flags.scratch,
    ...(limit === undefined ? {} : { until: Date.now() + limit }),
    onOutcome: ({ problems }, write) => {
      tried += 1;
      if (problems.length > 0)
        process.stderr.write(`${name}: write ${write} FAILED\n  ${problems.slice(0, 8).join('\n  ')}\n`);
      if (tried % 50 === 0) process.stderr.write(`${name}: ${tried} tried, the last before write ${write}\n`);
    },
  });
  proofs.push(proof);
}

/** A story that could not be recorded or resumed at all; the others continue. */
function tellLost(name: string, error: unknown): void {
  process.stderr.write(`${name}: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function render(done: readonly Proof[]): string {
  const sum = (of: (proof: Proof) => number) => done.reduce((total, proof) => total + of(proof), 0);
  const rows = done.map((proof) => [
    proof.story,
    String(proof.writes),
    String(proof.states ?? '–'),
    String(proof.tried),
    String(proof.tried - proof.failures.length),
    String(proof.calls),
    String(proof.questions),
    proof.tried === 0 ? '–' : (proof.repeated / proof.tried).toFixed(2),
    `${(proof.milliseconds / 1000).toFixed(0)} s`,
  ]);
  const totals = [
    sum(({ writes }) => writes),
    sample === undefined ? sum(({ states = 0 }) => states) : '–',
    sum(({ tried }) => tried),
    sum(({ tried, failures }) => tried - failures.length),
    sum(({ calls }) => calls),
    sum(({ questions }) => questions),
  ];
  const total = ['all', ...totals.map(String)];
  const columns = [
    'workflow',
    'writes',
    'different states',
    'kills',
    'hold',
    'calls',
    'questions',
    'calls in flight per kill',
    'time',
  ];
  const kinds = done.flatMap(({ story, kinds: counted }) =>
    Object.entries(counted)
      .sort()
      .map(([kind, count]) => [story, kind, String(count)]),
  );
  const failures = done.flatMap(({ story, failures: list }) =>
    list.map(({ write, target, problems }) => `${story} write ${write} (${target}): ${problems.join('; ')}`),
  );
  const minutes = ((Date.now() - started) / 60_000).toFixed(1);
  return `${[
    `${new Date().toISOString()} · ${commit()} · node ${process.version} · ${cpus().length} × ${cpus()[0]?.model ?? 'processor'} · ${minutes} min`,
    flags.points === undefined
      ? limit === undefined
        ? 'every state'
        : `every state, at most ${flags.minutes} minutes for each workflow`
      : `before ${flags.points} writes of each, seed ${seed}`,
    ...(stopped.signal.aborted ? ['stopped before its end'] : []),
    table([columns, ...rows, total]),
    table([['workflow', 'before a write to', 'kills'], ...kinds]),
    failures.length === 0 ? 'no failure' : failures.join('\n'),
    ...(flags.points === undefined ? [`not tried: ${missing().join('; ') || 'nothing'}`] : []),
  ].join('\n\n')}\n`;
}

function commit(): string {
  return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
}
