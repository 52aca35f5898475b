import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { readEmbeddedPlan } from './embedded-plan.ts';
import { isOpenSpec, readOpenSpec } from './openspec-reader.ts';
import type { OutlineReading } from './outline.ts';
import { isSpecKit, readSpecKit } from './spec-kit-reader.ts';
import { readTaskList } from './task-list-reader.ts';
import { readTaskMaster, taskMasterFile } from './task-master-reader.ts';

export const importFormats = ['spec-kit', 'openspec', 'task-master', 'task-list', 'embedded'] as const;
type ImportFormat = (typeof importFormats)[number];

export type ForeignPlan = OutlineReading & { format: ImportFormat; name: string };

const fileLimit = 4_000_000;
const mostSpecs = 200;

/** Reads the plan of another tool from where it keeps it. */
export async function readForeignPlan(
  place: string,
  { format, tag }: { format: string | undefined; tag: string | undefined },
): Promise<ForeignPlan> {
  const found = await locate(place, format as ImportFormat | undefined);
  const name = path.basename(found.place).replace(/\.(?:json|md|txt)$/i, '');
  switch (found.format) {
    case 'task-master': {
      const { tag: chosen, ...reading } = readTaskMaster(await textOf(found.place), tag);
      return { ...reading, format: found.format, name: chosen };
    }
    case 'embedded':
      return {
        ...readEmbeddedPlan(await textOf(found.place), path.basename(found.place)),
        format: found.format,
        name,
      };
    case 'task-list': {
      const reading = readTaskList(await textOf(found.place), path.basename(found.place));
      if (reading === undefined) throw unknown(place);
      return { ...reading, format: found.format, name };
    }
    case 'openspec': {
      const { folder, isWhole } = folderOf(found.place);
      const tasks = await textOf(found.place);
      const specs = isWhole ? await specTexts(path.join(folder, 'specs')) : [];
      const files = { tasks, specs, ...(isWhole ? await optional(folder, ['proposal', 'design']) : {}) };
      const change = isWhole ? path.basename(folder) : name;
      return { ...readOpenSpec(files, change), format: found.format, name: change };
    }
    case 'spec-kit': {
      const { folder, isWhole } = folderOf(found.place);
      const tasks = await textOf(found.place);
      const files = { tasks, ...(isWhole ? await optional(folder, ['plan', 'spec']) : {}) };
      const feature = (isWhole ? path.basename(folder) : name).replace(/^\d{3}-/, '');
      return { ...readSpecKit(files, feature), format: found.format, name: feature };
    }
  }
}

/** A task list of any of these tools in a Markdown or text file; `undefined` for any other text. */
export async function readTaskFile(file: string): Promise<ForeignPlan | undefined> {
  const format = taskFormat(file, await textOf(file));
  if (format !== 'task-list') return readForeignPlan(file, { format, tag: undefined });
  const name = path.basename(file).replace(/\.(?:md|txt)$/i, '');
  const reading = readTaskList(await textOf(file), path.basename(file));
  return reading && { ...reading, format, name };
}

/** What a task list is, from its folder first and then from its lines. */
function taskFormat(file: string, text: string): 'openspec' | 'spec-kit' | 'task-list' {
  const { folder, isWhole } = folderOf(file);
  const isChange = ['proposal.md', '.openspec.yaml'].some((name) => existsSync(path.join(folder, name)));
  if (isWhole && isChange) return 'openspec';
  return isSpecKit(text) ? 'spec-kit' : isOpenSpec(text) ? 'openspec' : 'task-list';
}

/** `tasks.md` names its folder: documents of the same feature are next to it. */
function folderOf(file: string): { folder: string; isWhole: boolean } {
  return { folder: path.dirname(file), isWhole: path.basename(file) === 'tasks.md' };
}

/** The file to read and its format, detected unless named. */
async function locate(
  place: string,
  format: ImportFormat | undefined,
): Promise<{ format: ImportFormat; place: string }> {
  if (!existsSync(place))
    throw new CharretteError({ code: 'not-found', message: `There is nothing at ${place}.` });
  if (!statSync(place).isDirectory()) {
    if (format === 'embedded' || format === 'task-master') return { format, place };
    if (/\.(?:md|txt)$/i.test(place))
      return { format: format ?? taskFormat(place, await textOf(place)), place };
    if (path.extname(place) === '.json')
      return { format: path.basename(place) === 'tasks.json' ? 'task-master' : 'embedded', place };
    throw unknown(place);
  }
  const inside = (name: string) => path.join(place, name);
  const master = [taskMasterFile, 'tasks/tasks.json', 'tasks.json']
    .map(inside)
    .find((file) => existsSync(file));
  if (
    format === 'task-master' ||
    (format === undefined && master !== undefined && !existsSync(inside('tasks.md')))
  ) {
    if (master === undefined) throw unknown(place);
    return { format: 'task-master', place: master };
  }
  const tasks = inside('tasks.md');
  if (!existsSync(tasks)) throw unknown(place);
  return { format: format ?? taskFormat(tasks, await textOf(tasks)), place: tasks };
}

function unknown(place: string): CharretteError {
  return new CharretteError({
    code: 'not-found',
    message: `${place} holds no plan of a known tool.`,
    fix: 'Name specs/NNN-name, openspec/changes/<id>, .taskmaster/tasks/tasks.json, a Markdown file with boxes (`- [ ] …`) or `## Task 1: …` headings, or a plan file with its tasks inside.',
  });
}

async function textOf(file: string): Promise<string> {
  const text = await readTextFile(file, fileLimit);
  if (text === undefined)
    throw new CharretteError({ code: 'not-found', message: `There is no file ${file}.` });
  return text;
}

async function optional<Name extends string>(
  folder: string,
  names: readonly Name[],
): Promise<Partial<Record<Name, string>>> {
  const texts = await Promise.all(
    names.map(
      async (name) => [name, await readTextFile(path.join(folder, `${name}.md`), fileLimit)] as const,
    ),
  );
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined)) as Partial<Record<Name, string>>;
}

async function specTexts(folder: string): Promise<{ capability: string; text: string }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile() && entry.name === 'spec.md')
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .slice(0, mostSpecs);
  return Promise.all(
    files.map(async (file) => ({
      capability: path.relative(folder, path.dirname(file)).split(path.sep).join('/'),
      text: (await readTextFile(file, fileLimit)) ?? '',
    })),
  );
}
