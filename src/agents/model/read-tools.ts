import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import vm from 'node:vm';
import { containedPath, readTextFile } from '../../base/files/bounded.ts';
import type { JsonSchema } from '../port.ts';
import { leadsIntoRecords, recordsFolder } from '../settings.ts';

/** The time a model's pattern gets for one text. A pattern can be written so that it never ends. */
const patternMs = 500;

type TextSearch = (text: string, most: number) => { line: number; text: string }[];

/** A line search for a regular expression from a model; a pattern that does not parse is taken as plain text. */
function textSearch(pattern: string, ignoreCase: boolean): TextSearch {
  const expression = compile(pattern, ignoreCase);
  return (text, most) => {
    const search = () => {
      const found: { line: number; text: string }[] = [];
      for (const [index, line] of text.split('\n').entries()) {
        if (found.length >= most) break;
        if (expression.test(line)) found.push({ line: index + 1, text: line.slice(0, 300) });
      }
      return found;
    };
    // Only V8's own interrupt stops a running expression; this is how it is asked for.
    return vm.runInNewContext('search()', { search }, { timeout: patternMs });
  };
}

function compile(pattern: string, ignoreCase: boolean): RegExp {
  const flags = ignoreCase ? 'iu' : 'u';
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replaceAll('\\-', '-'), flags);
  }
}

/** Folders that are not searched, and the most files that a search reads. */
const skippedFolders = new Set(['.git', 'node_modules', recordsFolder]);
const fileLimit = 20_000;

/** The regular files below a directory as relative paths with `/`, sorted; symbolic links are never followed. */
async function listFiles(root: string, below = ''): Promise<{ files: string[]; complete: boolean }> {
  const files: string[] = [];
  const folders = [below];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) files.push(relative);
      else if (entry.isDirectory() && !skippedFolders.has(entry.name)) folders.push(relative);
      if (files.length >= fileLimit) return { files: files.sort(), complete: false };
    }
  }
  return { files: files.sort(), complete: true };
}

/** What a model may see of one call, so that no tool result can fill its context. */
const outputLimit = 40_000;
const lineLimit = 2000;
const fileBytes = 1024 * 1024;
const matchLimit = 200;
const searchBytes = 64 * 1024 * 1024;
const searchMs = 3000;

/** A tool that can only look. It answers text, and throws what the model should be told instead. */
type ReadTool = {
  name: 'read' | 'grep' | 'glob';
  description: string;
  input: JsonSchema;
  run: (directory: string, input: Readonly<Record<string, unknown>>) => Promise<string>;
};

export const readTools: readonly ReadTool[] = [
  {
    name: 'read',
    description: 'Read a text file of the project, with line numbers. Paths are relative to the project.',
    input: inputSchema(['path'], {
      path: { type: 'string' },
      offset: { type: 'integer', description: 'First line, from 1.' },
      limit: { type: 'integer', description: `Number of lines, at most ${lineLimit}.` },
    }),
    async run(directory, input) {
      const file = await contained(directory, stringIn(input, 'path'));
      const text = await readTextFile(file, fileBytes);
      if (text === undefined) throw new Error('The file does not exist.');
      const first = Math.max(1, numberIn(input, 'offset') ?? 1);
      const count = Math.min(lineLimit, Math.max(1, numberIn(input, 'limit') ?? lineLimit));
      const lines = text.split('\n');
      const shown = lines
        .slice(first - 1, first - 1 + count)
        .map((line, index) => `${first + index}\t${line}`);
      const rest = lines.length - (first - 1 + shown.length);
      return bounded([...shown, ...(rest > 0 ? [`(${rest} more lines)`] : [])]);
    },
  },
  {
    name: 'grep',
    description: 'Find lines that match a regular expression, as path:line: text.',
    input: inputSchema(['pattern'], {
      pattern: { type: 'string' },
      path: { type: 'string', description: 'Folder to search in; the whole project when absent.' },
      glob: { type: 'string', description: 'Only files that match, such as **/*.ts.' },
      ignoreCase: { type: 'boolean' },
    }),
    async run(directory, input) {
      const search = textSearch(stringIn(input, 'pattern'), input['ignoreCase'] === true);
      const glob = typeof input['glob'] === 'string' ? input['glob'] : undefined;
      const { files, note } = await filesBelow(directory, input);
      const found: string[] = [];
      const until = performance.now() + searchMs;
      const isFull = () => found.length >= matchLimit || bytes >= searchBytes || performance.now() > until;
      let bytes = 0;
      for (const file of files) {
        if (glob !== undefined && !matchesGlob(glob, file)) continue;
        if (isFull()) break;
        const text = await readTextFile(path.join(directory, file), fileBytes).catch(() => undefined);
        if (text === undefined || text.slice(0, 8000).includes('\0')) continue;
        bytes += text.length;
        const matches = search(text, matchLimit - found.length);
        found.push(...matches.map((match) => `${file}:${match.line}: ${match.text}`));
      }
      const cut = isFull() ? ['(the search stopped early)'] : [];
      return bounded([...(found.length === 0 ? ['No match.'] : found), ...cut, ...note]);
    },
  },
  {
    name: 'glob',
    description: 'List files whose path matches a glob such as src/**/*.ts.',
    input: inputSchema(['pattern'], {
      pattern: { type: 'string' },
      path: { type: 'string', description: 'Folder to look in; the whole project when absent.' },
    }),
    async run(directory, input) {
      const pattern = stringIn(input, 'pattern');
      const { files, note } = await filesBelow(directory, input);
      const found = files.filter((file) => matchesGlob(pattern, file));
      return bounded(found.length === 0 ? ['No file.', ...note] : [...found, ...note]);
    },
  },
];

async function filesBelow(directory: string, input: Readonly<Record<string, unknown>>) {
  const wanted = typeof input['path'] === 'string' ? input['path'] : '.';
  const folder = path.relative(directory, await contained(directory, wanted));
  const { files, complete } = await listFiles(directory, folder.split(path.sep).join('/'));
  return { files, note: complete ? [] : ['(the project has more files than were searched)'] };
}

/** Models like absolute paths: one inside the task's directory is as good as a relative one. */
async function contained(directory: string, untrusted: string): Promise<string> {
  const relative = path.isAbsolute(untrusted) ? path.relative(directory, untrusted) : untrusted;
  const place = await containedPath(directory, relative);
  const [root, real] = await Promise.all([realpath(directory), realpath(place).catch(() => place)]);
  // No agent may read logins, votes or who proposed what, not even by a link.
  if (leadsIntoRecords(path.relative(directory, place)) || leadsIntoRecords(path.relative(root, real)))
    throw new Error('The record of runs cannot be read.');
  return place;
}

function bounded(lines: readonly string[]): string {
  const text = lines.join('\n');
  return text.length <= outputLimit
    ? text
    : `${text.slice(0, outputLimit)}\n(cut after ${outputLimit} characters)`;
}

function inputSchema(required: string[], properties: Record<string, unknown>): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

function stringIn(input: Readonly<Record<string, unknown>>, key: string): string {
  const value = input[key];
  if (typeof value !== 'string' || value === '') throw new Error(`"${key}" must be a text.`);
  return value;
}

function numberIn(input: Readonly<Record<string, unknown>>, key: string): number | undefined {
  const value = input[key];
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

/** How many alternatives `{a,b}` may unfold to. */
const alternativeLimit = 64;

/**
 * Whether a relative path with `/` matches a glob of `*`, `?`, `**` and `{a,b}`. A pattern without `/` is matched against
 * the file name. The pattern comes from a model, so matching takes at most (pattern × path) steps.
 */
export function matchesGlob(pattern: string, file: string): boolean {
  const segments = file.split('/');
  return unfold(pattern.replace(/^\.?\/+/, '')).some((plain) =>
    plain.includes('/')
      ? matchSegments(plain.split('/'), segments)
      : matchSegment(plain === '**' ? '*' : plain, segments.at(-1) ?? ''),
  );
}

function unfold(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  let unfolded = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const braces = /\{([^{}]*)\}/.exec(next);
    unfolded += 1;
    if (braces === null || unfolded > alternativeLimit || done.length + open.length >= alternativeLimit) {
      done.push(next);
      continue;
    }
    const [before, after] = [next.slice(0, braces.index), next.slice(braces.index + braces[0].length)];
    for (const choice of (braces[1] ?? '').split(',')) open.push(before + choice + after);
  }
  return done;
}

/** The star algorithm over whole segments: `**` takes any number of them. */
function matchSegments(pattern: readonly string[], segments: readonly string[]): boolean {
  return matchWithStar(pattern, segments, '**', matchSegment);
}

function matchSegment(pattern: string, text: string): boolean {
  return matchWithStar([...pattern], [...text], '*', (wanted, found) => wanted === '?' || wanted === found);
}

/** On a mismatch only the last star takes one item more; earlier stars never need to. */
function matchWithStar(
  pattern: readonly string[],
  items: readonly string[],
  star: string,
  fits: (wanted: string, found: string) => boolean,
): boolean {
  let [at, item] = [0, 0];
  let retry: { at: number; item: number } | undefined;
  while (item < items.length) {
    const wanted = pattern[at];
    if (wanted === star) {
      retry = { at: at + 1, item };
      at += 1;
    } else if (wanted !== undefined && fits(wanted, items[item] ?? '')) {
      at += 1;
      item += 1;
    } else if (retry !== undefined) {
      retry.item += 1;
      [at, item] = [retry.at, retry.item];
    } else return false;
  }
  return pattern.slice(at).every((rest) => rest === star);
}
