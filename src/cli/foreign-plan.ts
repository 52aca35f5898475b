import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../errors.ts';
import { readTextFile } from '../files/bounded.ts';
import { readEmbeddedPlan } from '../lite/exchange/embedded-plan.ts';
import { readOpenSpec } from '../lite/exchange/openspec-reader.ts';
import type { OutlineReading } from '../lite/exchange/outline.ts';
import { readSpecKit } from '../lite/exchange/spec-kit-reader.ts';
import { taskMasterFile } from '../lite/exchange/task-master.ts';
import { readTaskMaster } from '../lite/exchange/task-master-reader.ts';

export const importFormats = ['spec-kit', 'openspec', 'task-master', 'embedded'] as const;
type ImportFormat = (typeof importFormats)[number];

export type ForeignPlan = OutlineReading & { format: ImportFormat; name: string };

const fileLimit = 4_000_000;
const mostSpecs = 200;

/** Reads the plan of another tool from where it keeps it. */
export async function readForeignPlan(
  place: string,
  { format, tag }: { format: string | undefined; tag: string | undefined },
): Promise<ForeignPlan> {
  const found = locate(place, format as ImportFormat | undefined);
  const name = path.basename(found.place).replace(/\.json$/, '');
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
    case 'openspec': {
      const specs = await specTexts(path.join(found.place, 'specs'));
      const tasks = await textOf(path.join(found.place, 'tasks.md'));
      const files = { tasks, specs, ...(await optional(found.place, ['proposal', 'design'])) };
      return { ...readOpenSpec(files, name), format: found.format, name };
    }
    case 'spec-kit': {
      const tasks = await textOf(path.join(found.place, 'tasks.md'));
      const files = { tasks, ...(await optional(found.place, ['plan', 'spec'])) };
      return {
        ...readSpecKit(files, name.replace(/^\d{3}-/, '')),
        format: found.format,
        name: name.replace(/^\d{3}-/, ''),
      };
    }
  }
}

/** What the place holds, seen from its files; a named format only says where to look. */
function locate(place: string, format: ImportFormat | undefined): { format: ImportFormat; place: string } {
  if (!existsSync(place))
    throw new CharretteError({ code: 'not-found', message: `There is nothing at ${place}.` });
  if (!statSync(place).isDirectory()) {
    if (path.basename(place) === 'tasks.md') return locate(path.dirname(place), format);
    if (format === 'embedded' || format === 'task-master') return { format, place };
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
  if (!existsSync(inside('tasks.md'))) throw unknown(place);
  const change = existsSync(inside('proposal.md')) || existsSync(inside('.openspec.yaml'));
  return { format: format ?? (change ? 'openspec' : 'spec-kit'), place };
}

function unknown(place: string): CharretteError {
  return new CharretteError({
    code: 'not-found',
    message: `${place} holds no plan of a known tool.`,
    fix: 'Name specs/NNN-name, openspec/changes/<id>, .taskmaster/tasks/tasks.json, or a plan file with its tasks inside.',
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
