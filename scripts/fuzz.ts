// `npm run fuzz`: tries every reader of text by others with texts that grow out of ones that reached new branches.
// `--seconds N` for all targets together (default 60), `--target NAME` only those, `--seed N` other texts, `--save` keeps
// what broke something as a text of the tests, `--write FILE` keeps the table, `--texts N` ends with so many texts for each
// target, so that the same seed tries the same texts on every machine that is quick enough.
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { table } from '../bench/calibration.ts';
import { writeFileAtomic } from '../src/base/files/atomic.ts';
import { saveText } from '../test/fuzz/corpus.ts';
import { type Report, runTargets } from '../test/fuzz/run-targets.ts';
import { targets } from '../test/fuzz/targets.ts';

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '20251116' },
    texts: { type: 'string' },
    target: { type: 'string', multiple: true },
    save: { type: 'boolean', default: false },
    write: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});
const [seconds, seed] = [Number(flags.seconds), Number(flags.seed)];
const known = targets.map(({ name }) => name);
const names = flags.target ?? known;
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0 || !(seconds > 0) || !Number.isSafeInteger(seed)) {
  process.stderr.write(
    unknown.length > 0
      ? `Unknown target ${unknown.join(', ')}. Available: ${known.join(', ')}.\n`
      : '--seconds and --seed take numbers.\n',
  );
  process.exit(2);
}
if (flags.list) {
  process.stdout.write(
    `${table([['target', 'reads'], ...targets.map(({ name, reads }) => [name, reads])])}\n`,
  );
  process.exit(0);
}

const reports: Report[] = [];
const started = Date.now();
await runTargets(names, {
  milliseconds: (seconds * 1000) / names.length,
  texts: Number(flags.texts ?? Number.POSITIVE_INFINITY),
  seed,
  onReport: (report) => {
    reports.push(report);
    for (const { kind, message, input } of report.findings) {
      const place = flags.save ? `  saved as ${saveText(report.name, input, `${kind}: ${message}`)}\n` : '';
      const again = `npm run fuzz -- --target ${report.name} --seed ${seed} --seconds ${Math.ceil(seconds / names.length)}`;
      process.stderr.write(
        `${report.name}, seed ${seed}: ${kind}: ${message}\n  ${JSON.stringify(input.slice(0, 20_000))}\n${place}  again: ${again} (with --save it becomes a text of the tests)\n`,
      );
    }
  },
});
const text = render();
process.stdout.write(text);
if (flags.write !== undefined) await writeFileAtomic(flags.write, text);
process.exitCode = reports.some(({ findings }) => findings.length > 0) ? 1 : 0;

function render(): string {
  const rows = reports.map((report) => [
    report.name,
    String(report.executions),
    String(report.atStart),
    `+${report.found}`,
    String(report.kept),
    String(report.findings.length),
    report.perKilobyte === 0 ? '—' : report.perKilobyte.toFixed(0),
    report.exponent === 0 ? '—' : report.exponent.toFixed(2),
  ]);
  const sum = (of: (report: Report) => number) =>
    String(reports.reduce((total, report) => total + of(report), 0));
  const total = [
    'all',
    sum(({ executions }) => executions),
    '',
    '',
    sum(({ kept }) => kept),
    sum(({ findings }) => findings.length),
    '',
    '',
  ];
  const columns = [
    'target',
    'texts tried',
    'branches at start',
    'found',
    'texts kept',
    'findings',
    'slowest µs/KB',
    'steepest exponent',
  ];
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'processor'}`;
  const time = `${((Date.now() - started) / 1000).toFixed(0)} s`;
  return `${[
    `${new Date().toISOString()} · ${commit} · node ${process.version} · ${machine} · ${time} · seed ${seed}`,
    table([columns, ...rows, total]),
  ].join('\n\n')}\n`;
}
