// `npm run faults`: does to real processes what happens to them (test/slow/faults, every moment of every case) and prints a
// table of the outcomes. `--sample` tries one moment of each, as the slow suite does; `--kills N` says how often the program is
// killed on PostgreSQL, `--worker-kills N` how often a worker is (`all`: at every write); `--write FILE` keeps the table. An
// `--only NAME` is one file of test/slow/faults. With `--whole` a case that was not tried counts as a failure: without PostgreSQL,
// or without the rights to mount a small disk. When a case fails, the files of all cases are kept.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { table } from '../bench/calibration.ts';
import { writeFileAtomic } from '../src/base/files/atomic.ts';
import { makeScratch } from '../test/scratch.ts';
import { isLeftOut, readFaultRows } from '../test/support/fault-rows.ts';

const { values: flags } = parseArgs({
  options: {
    write: { type: 'string' },
    sample: { type: 'boolean', default: false },
    whole: { type: 'boolean', default: false },
    kills: { type: 'string' },
    'worker-kills': { type: 'string' },
    only: { type: 'string' },
  },
});
const root = fileURLToPath(new URL('..', import.meta.url));
requireCount('kills');
requireCount('worker-kills');
const suites = path.join('test', 'slow', 'faults');
const suite = flags.only === undefined ? suites : path.join(suites, `${flags.only}.test.ts`);
if (!existsSync(path.join(root, suite)))
  refuse(`--only ${flags.only}: unknown file. Available: ${names().join(', ')}.`);
const folder = makeScratch();
const file = path.join(folder, 'rows.jsonl');
const started = Date.now();
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const child = spawn(process.execPath, [vitest, 'run', '--project', 'slow', suite], {
  cwd: root,
  env: {
    ...process.env,
    TMPDIR: folder,
    FAULTS: flags.sample ? 'sample' : 'all',
    FAULTS_FILE: file,
    ...(flags.kills === undefined ? {} : { SERVER_KILLS: flags.kills }),
    ...(flags['worker-kills'] === undefined ? {} : { WORKER_KILLS: flags['worker-kills'] }),
  },
  stdio: ['ignore', 2, 2],
});
// Told to stop it tells what it has.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
const [code, stopped] = await once(child, 'exit');
const rows = readFaultRows(existsSync(file) ? readFileSync(file, 'utf8') : '');
const leftOut = rows.filter(isLeftOut).length;
const failed = rows.filter(({ outcome }) => outcome === 'FAILED').length;
if (failed === 0) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
else process.stderr.write(`What the cases left is kept: ${folder}\n`);
const text = render();
process.stdout.write(text);
if (flags.write !== undefined) await writeFileAtomic(flags.write, text);
process.exitCode = code === 0 && rows.length > 0 && !(flags.whole && leftOut > 0) ? 0 : 1;

/** Nothing is begun with a number that would try nothing. */
function requireCount(flag: 'kills' | 'worker-kills'): void {
  const given = flags[flag];
  if (given === undefined || given === 'all' || /^[1-9]\d*$/.test(given)) return;
  // Single writes by their numbers.
  if (flag === 'worker-kills' && /^@\d+(?:,\d+)*$/.test(given)) return;
  refuse(`--${flag} ${given}: say a number of at least 1, or all.`);
}

function names(): string[] {
  return readdirSync(path.join(root, suites)).map((name) => name.replace(/\.test\.ts$/, ''));
}

function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function render(): string {
  const cells = rows.map(({ fault, moment, outcome, seconds }) => [
    fault,
    moment,
    outcome,
    `${seconds.toFixed(0)} s`,
  ]);
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'processor'}`;
  const minutes = ((Date.now() - started) / 60_000).toFixed(1);
  return `${[
    `${new Date().toISOString()} · ${commit} · node ${process.version} · ${machine} · ${minutes} min`,
    table([['fault', 'moment', 'outcome', 'time'], ...cells]),
    ...rows.flatMap(({ fault, moment, problem }) =>
      problem === undefined ? [] : [`${fault}, ${moment}: ${problem.slice(0, 2000)}`],
    ),
    `${rows.length} cases, ${failed} failed, ${leftOut} not tried${code === 0 ? '' : `; the suite ended with ${code ?? stopped}`}`,
  ].join('\n\n')}\n`;
}
