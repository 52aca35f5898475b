import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../base/safe-json.ts';
import { literalPattern } from '../base/text/strings.ts';

/** A file of a run's public record. */
export type RunFile = { path: string; size: number; modified: number; inode: number };

const segment = String.raw`(?!\.)[^/\\\0]{1,200}`;

/**
 * What of a run directory may go to another machine. It says what goes rather than what stays: the private HOMEs of
 * agents, which hold logins, checkouts, locks and half-written files never do.
 */
const portable = [
  /^(?:run|questions)\.json$/,
  /^(?:events|ledger)\.jsonl$/,
  /^execution-issues\.md$/,
  new RegExp(`^(?:artifacts|steps)(?:/${segment}){1,4}$`),
  new RegExp(`^lanes/${segment}\\.json$`),
  new RegExp(`^lanes/${segment}/(?:prompt\\.md|answer\\.txt|result\\.json)$`),
] as const;

/** Whether a path, with slashes, names a file that may travel; none that leads out of the directory does. */
export function isPortable(name: string): boolean {
  return portable.some((pattern) => pattern.test(name));
}

/** The files of a run that may travel, by name. Links are not followed. */
export async function listRunFiles(root: string): Promise<RunFile[]> {
  const files: RunFile[] = [];
  await collect(root, '', files);
  return files.sort((one, two) => (one.path < two.path ? -1 : 1));
}

async function collect(root: string, folder: string, files: RunFile[]): Promise<void> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
  await Promise.all(
    entries.map(async (entry) => {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && mayHold(name)) return collect(root, name, files);
      if (!entry.isFile() || !isPortable(name)) return;
      // It may have gone since.
      const facts = await stat(path.join(root, name)).catch(() => undefined);
      if (facts !== undefined)
        files.push({ path: name, size: facts.size, modified: facts.mtimeMs, inode: facts.ino });
    }),
  );
}

function mayHold(folder: string): boolean {
  const [top = '', ...rest] = folder.split('/');
  if (top === 'lanes') return rest.length <= 1;
  return (top === 'artifacts' || top === 'steps') && rest.length <= 3;
}

/** The same value with every place below `from` that its texts name, alone or among words, being the same place below `to`. */
export function relocate(value: unknown, from: string, to: string): unknown {
  return from === to ? value : moved(value, placesBelow(from), to);
}

function moved(value: unknown, places: RegExp, to: string): unknown {
  if (typeof value === 'string') return value.replace(places, () => to);
  if (Array.isArray(value)) return value.map((item) => moved(item, places, to));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, moved(item, places, to)]));
}

/** A path begins where a word does and ends there or at a slash: `/a/shop` is in neither `/a/shopping` nor `/b/a/shop`. */
function placesBelow(from: string): RegExp {
  return new RegExp(`(?<![^\\s"'\`(<[=:,])${literalPattern(from)}(?=$|[/\\s"'\`)>\\]:,;])`, 'g');
}

/** The inputs of a run for another clone of its repository; inputs without a project are not changed. */
export function relocateInputs(inputs: unknown, project: string): unknown {
  if (!isRecord(inputs) || typeof inputs['project'] !== 'string') return inputs;
  return relocate(inputs, inputs['project'], project);
}
