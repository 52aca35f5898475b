/**
 * `node bench/localise.ts --file <cases.json> --clones <folder>`: how often the search finds every file that an issue's fix changed.
 * A case gives the text, the commit before the fix (`base`) and the files the fix changed (`gold`). The clone of
 * `owner/name` is `<folder>/owner+name/repo`, `<folder>/owner/name` or `<folder>/name`, a work tree or a bare repository.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { rankFiles } from '../src/repo/index/rank-files.ts';
import { createFactCache, indexRepository } from '../src/repo/index/repository-index.ts';
import { createSnapshotCache, readSnapshot } from '../src/repo/index/snapshot.ts';

export type LocaliseCase = { id: string; repo: string; base: string; text: string; gold: string[] };

export type LocaliseResult = {
  id: string;
  /** The place of each gold file in the ranking, from 1; nothing when it is not among the first 30. */
  places: (number | undefined)[];
  /** Tests and documents among the first 5 that are above a source. */
  above: string[];
  first: string[];
  /** Of the ranking alone: the index is in memory. */
  milliseconds: number;
};

const cut = 5;

export async function localise(clone: string, cases: readonly LocaliseCase[]): Promise<LocaliseResult[]> {
  const [snapshots, facts] = [createSnapshotCache(), createFactCache()];
  const results: LocaliseResult[] = [];
  for (const { id, base, text, gold } of cases) {
    const index = await indexRepository(await readSnapshot(clone, base, { cache: snapshots }), facts);
    const started = performance.now();
    const ranked = rankFiles(index, text, 30);
    const milliseconds = performance.now() - started;
    const places = gold.map((file) => ranked.findIndex(({ path: found }) => found === file) + 1 || undefined);
    const first = ranked.slice(0, cut);
    const lastSource = first.findLastIndex(({ kind }) => kind === 'source');
    const above = first
      .slice(0, Math.max(0, lastSource))
      .filter(({ kind }) => kind === 'test' || kind === 'document')
      .map((file) => file.path);
    results.push({ id, places, above, first: first.map((file) => file.path), milliseconds });
  }
  return results;
}

export const isFound = ({ places }: LocaliseResult, within = cut): boolean =>
  places.every((place) => place !== undefined && place <= within);

function findClone(folder: string, repo: string): string | undefined {
  const [owner = '', name = ''] = repo.split('/');
  return [`${owner}+${name}/repo`, `${owner}/${name}`, name]
    .map((place) => path.join(folder, place))
    .find((place) => existsSync(place));
}

const share = (part: number, all: number): string => (part / Math.max(1, all)).toFixed(2);

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      file: { type: 'string' },
      clones: { type: 'string' },
      repo: { type: 'string' },
      misses: { type: 'boolean' },
    },
  });
  if (values.file === undefined || values.clones === undefined) {
    process.stderr.write(
      'usage: node bench/localise.ts --file <cases.json> --clones <folder> [--repo owner/name] [--misses]\n',
    );
    process.exit(2);
  }
  const cases: LocaliseCase[] = JSON.parse(readFileSync(values.file, 'utf8'));
  for (const [repo = '', own = []] of Map.groupBy(cases, (one) => one.repo)) {
    if (values.repo !== undefined && values.repo !== repo) continue;
    const clone = findClone(values.clones, repo);
    if (clone === undefined) {
      process.stdout.write(`${repo}: skipped, no clone\n`);
      continue;
    }
    const results = await localise(clone, own);
    const times = results.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    const found = (within: number) => share(results.filter((one) => isFound(one, within)).length, own.length);
    process.stdout.write(
      `${repo}: all gold files in the first 5: ${found(5)} (first: ${found(1)}, first 10: ${found(10)}) of ${own.length} cases; ` +
        `tests or documents above source: ${results.filter(({ above }) => above.length > 0).length} cases; ` +
        `${Math.round(times[Math.floor(times.length / 2)] ?? 0)} ms a case, slowest ${Math.round(times.at(-1) ?? 0)} ms\n`,
    );
    if (values.misses) {
      for (const one of results.filter((one) => !isFound(one)))
        process.stdout.write(
          `  ${one.id}: ${own
            .find(({ id }) => id === one.id)
            ?.gold.map((file, at) => `${file} (${one.places[at] ?? '-'})`)
            .join(' ')}\n    first: ${one.first.join(' ')}\n`,
        );
    }
  }
}
