// `npm run requirements`: lists the requirement rows that no test names and that are not decided against.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

type Row = { id: string; text: string; owner: string };

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const rows = JSON.parse(read('docs/dev/requirements.json')) as Row[];
const deviations = read('docs/dev/deviations.md');
const tests = ['src', 'test']
  .flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true }).map((file) => path.join(folder, String(file))),
  )
  .filter((file) => file.endsWith('.test.ts'))
  .map(read)
  .join('\n');

/** `L-520` counts as a word, and when a range such as `L-510…L-530` includes it. */
function isNamed(id: string, text: string): boolean {
  const escaped = id.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
  if (new RegExp(`(?<![\\w/-])${escaped}(?![\\w-])`).test(text)) return true;
  const [, prefix, number] = /^(.*?)(\d+)$/.exec(id) ?? [];
  if (prefix === undefined || number === undefined) return false;
  const stem = prefix.replace(/[/-]/g, '\\$&');
  const ranges = text.matchAll(new RegExp(`(?<![\\w/-])${stem}(\\d+)…(?:${stem})?(\\d+)`, 'g'));
  return [...ranges].some(([, from, to]) => Number(from) <= Number(number) && Number(number) <= Number(to));
}

const unnamed = rows.filter(({ id }) => !isNamed(id, tests) && !isNamed(id, deviations));
for (const { id, text, owner } of unnamed) console.log(`${id}\t${owner}\t${text}`);
console.log(
  `${rows.length} rows, ${rows.length - unnamed.length} named by tests or decided against, ${unnamed.length} without`,
);
