// How often continuing a session is refused on real revisions of documents:
// `node bench/deltas.ts --repository DIR… [--summary CHARACTERS]`. DIR is any git repository, bare or not.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadCorpusCounter } from '../src/prompts/measure/corpus.ts';
import { median, table } from './calibration.ts';
import { readRevisions } from './deltas/history.ts';
import { type Judged, judgeRevision } from './deltas/judge.ts';

const { values, positionals } = parseArgs({
  options: {
    repository: { type: 'string', multiple: true },
    summary: { type: 'string', default: '300' },
  },
  allowPositionals: true,
});
const repositories = [...(values.repository ?? []), ...positionals];
if (repositories.length === 0) {
  process.stderr.write('Name git repositories: node bench/deltas.ts --repository DIR…\n');
  process.exit(2);
}

const count = await loadCorpusCounter();
const heads = ['revisions', 'trips', 'share', 'prompt alone', 'read, median'];
const rows: string[][] = [['feature folders of', 'from', 'to', 'left out', ...heads]];
const all: Judged[] = [];
for (const directory of repositories) {
  const name = nameOf(directory);
  const revisions = readRevisions(directory);
  const judged: Judged[] = [];
  let leftOut = 0;
  for (const revision of revisions) {
    const found = await judgeRevision(revision, { count, summaryCharacters: Number(values.summary) });
    if (found.kind === 'delta') judged.push(found);
    else leftOut += 1;
  }
  const dates = revisions.map(({ date }) => date).sort();
  rows.push([
    name,
    dates[0] ?? '–',
    dates.at(-1) ?? '–',
    String(leftOut),
    ...figures(judged.filter(inFolder)),
  ]);
  all.push(...judged);
}
const folders = all.filter(inFolder);
const reviews = folders.filter(({ review }) => review);
const roles = [...new Set(folders.map(({ role }) => role))].sort();
const byRole = (judged: readonly Judged[]) =>
  roles.map((role) => [`  ${role}`, ...figures(judged.filter((row) => row.role === role))]);
rows.push(['all', '', '', '', ...figures(folders)]);
const parts = [
  ['of these', ...heads],
  ['commits that answer a review', ...figures(reviews)],
  ...byRole(reviews),
  ['other commits', ...figures(folders.filter(({ review }) => !review))],
  ...byRole(folders.filter(({ review }) => !review)),
  ['in addition: folders with one document', ...figures(all.filter(({ lone }) => lone))],
];
process.stdout.write(`${table(rows)}\n\n${table(parts)}\n`);

function inFolder({ lone }: Judged): boolean {
  return !lone;
}

function figures(judged: readonly Judged[]): string[] {
  const trips = judged.filter((row) => row.trips).length;
  const legacy = judged.filter((row) => row.legacyTrips).length;
  return [
    String(judged.length),
    String(trips),
    percent(trips, judged.length),
    percent(legacy, judged.length),
    judged.length === 0 ? '–' : String(median(judged.map(({ reads }) => reads))),
  ];
}

function percent(part: number, of: number): string {
  return of === 0 ? '–' : `${((part / of) * 100).toFixed(1)} %`;
}

/** A bare clone is often called by its place only. */
function nameOf(directory: string): string {
  const base = path.basename(path.resolve(directory));
  const parent = path.basename(path.dirname(path.resolve(directory)));
  return /^(?:repo|\.git)$/.test(base) ? parent : base;
}
