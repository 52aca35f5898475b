import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { isOutside } from './location.ts';
import { type LogLine, warning } from './log.ts';
import { characters } from './measure.ts';
import { type PackReport, packBrief } from './pack.ts';
import { readDocument } from './read-document.ts';
import {
  type ProjectSpec,
  parseSpec,
  type SpecCategory,
  type SpecScope,
  selectSpecs,
  specCategories,
  specRank,
} from './specs.ts';

export type SpecOptions = {
  root: string;
  /** One of the categories; further words are keywords (`planning auth`). Absent: all categories. */
  category?: string;
  /** What the work is about; its words decide which optional specs are wanted. */
  task?: string;
  /** In characters. */
  budget?: number;
  /** The person's home folder; absent: personal specs of other projects are not looked at. */
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
