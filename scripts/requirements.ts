// Lists the requirement rows that no test names. With --write, also gathers the rows into docs/requirements.json.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

type Row = { id: string; text: string; owner: string };

const root = path.resolve(import.meta.dirname, '..');
const folder = path.join(root, 'docs', 'requirements');
const rows: Row[] = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .flatMap((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Row[])
  : (JSON.parse(readFileSync(path.join(root, 'docs', 'requirements.json'), 'utf8')) as Row[]);

const tests = ['src', 'test', 'bench']
  .filter((name) => existsSync(path.join(root, name)))
  .flatMap((name) =>
    readdirSync(path.join(root, name), { recursive: true }).map((file) =>
      path.join(root, name, String(file)),
    ),
  )
  .filter((file) => /\.test\.ts$/.test(file))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

const deviations = ['docs/deviations.md', ...listed('docs/deviations')]
  .map((file) => path.join(root, file))
  .filter((file) => existsSync(file))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

function listed(directory: string): string[] {
  const absolute = path.join(root, directory);
  return existsSync(absolute) ? readdirSync(absolute).map((name) => path.join(directory, name)) : [];
}

/** `L-520` counts when it stands alone, and when a range `L-510…L-530` spans it. */
function isNamed(id: string, text: string): boolean {
  const escaped = id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (new RegExp(`(?<![\\w/-])${escaped}(?![\\w-])`).test(text)) return true;
  const [, prefix, number] = /^(.*?)(\d+)$/.exec(id) ?? [];
  if (prefix === undefined || number === undefined) return false;
  const range = new RegExp(
    `(?<![\\w/-])${prefix.replace(/[/-]/g, '\\$&')}(\\d+)…(?:${prefix.replace(/[/-]/g, '\\$&')})?(\\d+)`,
    'g',
  );
  return [...text.matchAll(range)].some(
    ([, from, to]) => Number(from) <= Number(number) && Number(number) <= Number(to),
  );
}

const unnamed = rows.filter(({ id }) => !isNamed(id, tests) && !isNamed(id, deviations));
if (process.argv.includes('--write')) {
  writeFileSync(path.join(root, 'docs', 'requirements.json'), `${JSON.stringify(rows, null, 2)}\n`);
}
for (const { id, text, owner } of unnamed) console.log(`${id}\t${owner}\t${text}`);
console.log(
  `${rows.length} rows, ${rows.length - unnamed.length} named by tests or decided against, ${unnamed.length} without`,
);
