import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { readEmbeddedPlan } from './embedded-plan.ts';
import { isOpenSpec, readOpenSpec } from './openspec-reader.ts';
import { draftOf, type OutlineReading, type PlanDraft } from './outline.ts';
import { isSpecKit, readSpecKit } from './spec-kit-reader.ts';
import { readTaskList } from './task-list-reader.ts';

export const importFormats = ['spec-kit', 'openspec', 'task-list', 'embedded'] as const;
type ImportFormat = (typeof importFormats)[number];

export type ForeignPlan = { draft: PlanDraft; notes: string[]; format: ImportFormat; name: string };

const maxFileBytes = 4_000_000;
const maxSpecs = 200;

/** Reads the plan of another tool from its usual place. */
export async function readForeignPlan(place: string, wanted: string | undefined): Promise<ForeignPlan> {
  const { format, file } = await locate(place, wanted as ImportFormat | undefined);
  const plan = await readAs(file, format);
  if (plan === undefined) throw unknown(place);
  return plan;
}

/** A task list of any of these tools in a Markdown or text file; `undefined` for any other text. */
export async function readTaskFile(file: string): Promise<ForeignPlan | undefined> {
  return readAs(file, taskFormat(file, await textOf(file)));
}

async function readAs(file: string, format: ImportFormat): Promise<ForeignPlan | undefined> {
  const text = await textOf(file);
  const base = path.basename(file).replace(/\.(?:json|md|txt)$/i, '');
  const { folder, isWhole } = folderOf(file);
  const change = isWhole ? path.basename(folder) : base;
  switch (format) {
    case 'embedded':
      return { ...readEmbeddedPlan(text, path.basename(file)), format, name: base };
    case 'task-list': {
      const reading = readTaskList(text, path.basename(file));
      return reading && foreign(reading, format, base);
    }
    case 'openspec': {
      const specs = isWhole ? await specTexts(path.join(folder, 'specs')) : [];
      const documents = isWhole ? await optional(folder, ['proposal', 'design']) : {};
      return foreign(readOpenSpec({ tasks: text, specs, ...documents }, change), format, change);
    }
    case 'spec-kit': {
      const documents = isWhole ? await optional(folder, ['plan', 'spec']) : {};
      const feature = change.replace(/^\d{3}-/, '');
      return foreign(readSpecKit({ tasks: text, ...documents }, feature), format, feature);
    }
  }
}

const foreign = ({ outline, notes }: OutlineReading, format: ImportFormat, name: string): ForeignPlan => ({
  draft: draftOf(outline),
  notes,
  format,
  name,
});

/** Detects the format of a task list from its folder, then from its lines. */
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
): Promise<{ format: ImportFormat; file: string }> {
  if (!existsSync(place))
    throw new CharretteError({ code: 'not-found', message: `${place} does not exist.` });
  const isFolder = statSync(place).isDirectory();
  const file = isFolder ? path.join(place, 'tasks.md') : place;
  if (isFolder && !existsSync(file)) throw unknown(place);
  if (!isFolder && (format === 'embedded' || path.extname(file) === '.json'))
    return { format: 'embedded', file };
  if (!/\.(?:md|txt)$/i.test(file)) throw unknown(place);
  return { format: format ?? taskFormat(file, await textOf(file)), file };
}

function unknown(place: string): CharretteError {
  return new CharretteError({
    code: 'not-found',
    message: `${place} holds no plan of a known tool.`,
    fix: 'Name specs/NNN-name, openspec/changes/<id>, a Markdown file with boxes (`- [ ] …`) or `## Task 1: …` headings, or a plan file with its tasks inside.',
  });
}

async function textOf(file: string): Promise<string> {
  const text = await readTextFile(file, maxFileBytes);
  if (text === undefined) throw new CharretteError({ code: 'not-found', message: `${file} does not exist.` });
  return text;
}

async function optional<Name extends string>(
  folder: string,
  names: readonly Name[],
): Promise<Partial<Record<Name, string>>> {
  const texts = await Promise.all(
    names.map(
      async (name) => [name, await readTextFile(path.join(folder, `${name}.md`), maxFileBytes)] as const,
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
    .slice(0, maxSpecs);
  return Promise.all(
    files.map(async (file) => ({
      capability: path.relative(folder, path.dirname(file)).split(path.sep).join('/'),
      text: (await readTextFile(file, maxFileBytes)) ?? '',
    })),
  );
}
