import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readFrontMatter } from '../../base/text/frontmatter.ts';
import { countCodePoints } from '../../base/text/strings.ts';
import { isOutside, type LogLine, readDocument, warning } from './defaults.ts';
import { characters, type PackReport, packBrief } from './pack.ts';

/** P-022: stages of work a spec can be for; `general` holds for all of them. */
export const specCategories = [
  'general',
  'exploration',
  'planning',
  'execution',
  'debug',
  'test',
  'review',
  'validation',
] as const;

export type SpecCategory = (typeof specCategories)[number];

const priorities = ['critical', 'high', 'medium', 'low'] as const;
const readModes = ['required', 'optional'] as const;

/** Where a spec comes from: the project, the person in this project, the person everywhere. */
type SpecScope = 'project' | 'personal' | 'home';

export type ProjectSpec = {
  /** As cited. */
  path: string;
  scope: SpecScope;
  title: string;
  category: SpecCategory;
  keywords: string[];
  readMode: (typeof readModes)[number];
  priority: (typeof priorities)[number];
  body: string;
  /** Where the body begins in the file, in characters. */
  bodyOffset: number;
  /** What is wrong with its front matter. */
  problems: string[];
};

/** Reads one spec; what its front matter lacks or gets wrong falls back to optional, medium, general. */
export function parseSpec(path: string, scope: SpecScope, text: string): ProjectSpec {
  const { data, body, bodyStart, problems } = readFrontMatter(text);
  const start = bodyStart + (body.length - body.trimStart().length);
  const notes = problems.map(({ message, line }) => `line ${line}: ${message}`);
  const choose = <Value extends string>(key: string, allowed: readonly Value[], fallback: Value): Value => {
    const value = data[key];
    if (value === undefined || value === null) return fallback;
    const found = allowed.find(
      (candidate) => typeof value === 'string' && candidate === value.trim().toLowerCase(),
    );
    if (found === undefined) notes.push(`${key} is not one of ${allowed.join(', ')}`);
    return found ?? fallback;
  };
  const title = typeof data['title'] === 'string' ? oneLine(data['title']) : '';
  return {
    path,
    scope,
    title: title === '' ? (path.split('/').at(-1) ?? path).replace(/\.md$/i, '') : title,
    category: choose('category', specCategories, 'general'),
    keywords: readKeywords(data['keywords']),
    readMode: choose('readMode', readModes, 'optional'),
    priority: choose('priority', priorities, 'medium'),
    body: body.trim(),
    bodyOffset: countCodePoints(text.slice(0, start)),
    problems: notes,
  };
}

function readKeywords(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  return list.flatMap((entry) => (typeof entry === 'string' && entry.trim() !== '' ? [entry.trim()] : []));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 200);
}

/** P-020: required ones always, optional ones when a keyword is hit, of the asked category and `general`. */
function selectSpecs(
  specs: readonly ProjectSpec[],
  wanted: { category?: SpecCategory; words: string },
): ProjectSpec[] {
  const words = wordsOf(wanted.words);
  return specs.filter(({ category, readMode, keywords, body }) => {
    if (body === '') return false;
    if (wanted.category !== undefined && category !== wanted.category && category !== 'general') return false;
    return readMode === 'required' || keywords.some((keyword) => isHit(keyword, words, wanted.words));
  });
}

const shortestPrefix = 4;

/** A keyword is hit by the same word, by a longer word it begins, or by a shorter one (four letters) that begins it. */
function isHit(keyword: string, words: ReadonlySet<string>, text: string): boolean {
  const wanted = keyword.toLowerCase();
  if (/[^\p{L}\p{N}]|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/u.test(wanted))
    return text.toLowerCase().includes(wanted);
  if (words.has(wanted)) return true;
  for (const word of words) {
    if (wanted.length >= shortestPrefix && word.startsWith(wanted)) return true;
    if (word.length >= shortestPrefix && wanted.startsWith(word)) return true;
  }
  return false;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** Smaller is more important. Project rules come before personal ones, so that a cut never reaches them first. */
function specRank(spec: ProjectSpec): number {
  const mode = readModes.indexOf(spec.readMode);
  const scope = spec.scope === 'project' ? 0 : 1;
  return mode * 100 + scope * 10 + priorities.indexOf(spec.priority);
}

export type SpecOptions = {
  root: string;
  /** One of the categories; further words are keywords (`planning auth`). Default: all categories. */
  category?: string;
  /** What the work is about; its words decide which optional specs are wanted. */
  task?: string;
  /** In characters. */
  budget?: number;
  /** The user's home folder; without it personal specs of other projects are not read. */
  home?: string;
};

export type ProjectSpecs = {
  category: SpecCategory | undefined;
  specs: (Omit<ProjectSpec, 'body' | 'bodyOffset'> & { state: 'whole' | 'cut' | 'dropped' })[];
  report: PackReport;
  log: LogLine[];
  /** For a planner's or executor's prompt; empty when no spec applies. */
  text: string;
};

/** P-022: characters. */
const defaultBudget = 8_000;
const maximumFiles = 500;
const maximumSize = 1024 * 1024;

/** P-020, P-021: the project's rules for a stage of work. Absence and damage are never fatal; an unknown category is. */
export async function loadProjectSpecs(options: SpecOptions): Promise<ProjectSpecs> {
  const { category, words } = readCategory(options.category);
  const log: LogLine[] = [];
  const found = await readSpecs(options, log);
  const specs = selectSpecs(found, {
    words: `${words} ${options.task ?? ''}`,
    ...(category !== undefined && { category }),
  }).sort((a, b) => specRank(a) - specRank(b) || (a.path < b.path ? -1 : 1));
  const report = packBrief(
    specs.map((spec) => ({
      id: spec.path,
      text: spec.body,
      rank: specRank(spec),
      isProtected: spec.readMode === 'required',
    })),
    { cap: options.budget ?? defaultBudget, measure: characters, overflow: 'skip' },
  );
  const states = specs.map(({ body: _body, bodyOffset: _offset, ...spec }, index) => ({
    ...spec,
    state: stateOf(report.items[index]),
  }));
  return { category, specs: states, report, log, text: render(specs, report) };
}

/** A required spec that got no room at all is as good as dropped. */
function stateOf(item: PackReport['items'][number] | undefined): 'whole' | 'cut' | 'dropped' {
  return item === undefined || item.offset === 0 ? 'dropped' : item.state;
}

/** The block: a heading, then each spec under its title with its source, a cut one with a marker. */
function render(specs: readonly ProjectSpec[], report: PackReport): string {
  const sections = specs.flatMap((spec, index) => {
    const item = report.items[index];
    if (item === undefined || item.text.trim() === '') return [];
    // M-038: counted in the file, front matter included.
    const offset = spec.bodyOffset + item.offset;
    const marker = item.state === 'cut' ? `\n\n> truncated: ${spec.path} at char_offset=${offset}` : '';
    return [`### ${spec.title}\n\n> source: ${spec.path}\n\n${item.text.trim()}${marker}`];
  });
  return sections.length === 0 ? '' : `## Project specs\n\n${sections.join('\n\n')}\n`;
}

/** Unknown categories are refused with the list; what follows a known one is a keyword. */
function readCategory(value: string | undefined): { category: SpecCategory | undefined; words: string } {
  if (value === undefined || value.trim() === '') return { category: undefined, words: '' };
  const [first = '', ...rest] = value.trim().split(/\s+/);
  const category = specCategories.find((candidate) => candidate === first.toLowerCase());
  if (category !== undefined) return { category, words: rest.join(' ') };
  throw new CharretteError({
    code: 'usage',
    message: `${JSON.stringify(first)} is not a category of specs; there are ${specCategories.join(', ')}.`,
  });
}

async function readSpecs({ root, home }: SpecOptions, log: LogLine[]): Promise<ProjectSpec[]> {
  const folders: [string, SpecScope, string][] = [
    [path.join(root, '.ccw/specs'), 'project', '.ccw/specs'],
    [path.join(root, '.ccw/personal'), 'personal', '.ccw/personal'],
    ...(home === undefined || path.resolve(home) === path.resolve(root)
      ? []
      : [
          [path.join(home, '.ccw/personal'), 'home', '~/.ccw/personal'] satisfies [string, SpecScope, string],
        ]),
  ];
  const read = await Promise.all(
    folders.map(async ([folder, scope, cited]) => {
      const lines: LogLine[] = [];
      return { lines, specs: await readPlace(root, folder, scope, cited, lines) };
    }),
  );
  // In the order of the folders, whichever was read first.
  log.push(...read.flatMap(({ lines }) => lines));
  return read.flatMap(({ specs }) => specs);
}

async function readPlace(
  root: string,
  folder: string,
  scope: SpecScope,
  cited: string,
  log: LogLine[],
): Promise<ProjectSpec[]> {
  const directory = await realpath(folder).catch(() => undefined);
  if (directory === undefined) return [];
  if (scope === 'home' || !(await isOutside(root, directory)))
    return readFolder(directory, scope, cited, log);
  log.push(warning(`${cited} lies outside of the project (${directory}) and is not read`));
  return [];
}

async function readFolder(
  directory: string,
  scope: SpecScope,
  cited: string,
  log: LogLine[],
): Promise<ProjectSpec[]> {
  const entries = await readdir(directory).catch(() => []);
  const names = entries.filter((name) => /^[^.].*\.md$/i.test(name)).sort();
  if (names.length > maximumFiles)
    log.push(warning(`${cited} has ${names.length} specs; the first ${maximumFiles} are read`));
  const readings = await Promise.all(
    names
      .slice(0, maximumFiles)
      .map(async (name) => [name, await readDocument(directory, name, maximumSize)] as const),
  );
  return readings.flatMap(([name, reading]) => {
    const where = `${cited}/${name}`;
    if (reading.state === 'unreadable') log.push(warning(`${where}: ${reading.reason}`));
    if (reading.state !== 'text') return [];
    const spec = parseSpec(where, scope, reading.text);
    for (const problem of spec.problems) log.push(warning(`${where}: ${problem}`));
    return [spec];
  });
}
