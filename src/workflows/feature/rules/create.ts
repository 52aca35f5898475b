import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../../base/errors.ts';
import { writeFileAtomic } from '../../../base/files/atomic.ts';
import { slugify } from '../../../base/text/strings.ts';
import { directoriesIn, numberOf } from '../../../prompts/feature/select.ts';
import { newMeta, serializeMeta } from './meta-write.ts';

export type CreateInput = {
  /** What the feature is about. */
  name: string;
  /** Absolute: the folder of all features. */
  features: string;
  mode: 'standard' | 'full' | 'light';
  /** ISO 8601. */
  time: string;
  /** T-014: the PRD the feature grows from, with where it came from. */
  prd?: { text: string; source: string };
  dryRun: boolean;
};

export type Created = { id: string; slug: string; directory: string; files: readonly string[] };

const maxSlug = 30;
const attempts = 20;

/** T-001: the next free id, or one further on; ids are three digits at least and never given twice. */
export function nextId(names: readonly string[], further = 0): string {
  const highest = names.reduce((most, name) => Math.max(most, numberOf(name)), 0);
  return String(highest + 1 + further).padStart(3, '0');
}

/** T-001, T-013: a new feature directory with its state, and its PRD when it grows from one. */
export async function createFeature(input: CreateInput): Promise<Created> {
  const slug = slugify(input.name, maxSlug, '');
  if (slug === '') {
    throw new CharretteError({
      code: 'usage',
      message: `${JSON.stringify(input.name)} has no Latin letter or digit for a folder name.`,
      fix: 'Name the feature in a few words.',
    });
  }
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const id = nextId(await directoriesIn(input.features), attempt);
    const directory = path.join(input.features, `${id}-${slug}`);
    const files = filesOf(input, id, slug);
    const created = { id, slug, directory, files: Object.keys(files) };
    if (input.dryRun) return created;
    const release = await claim(input.features, id);
    if (release === undefined) continue;
    try {
      if ((await directoriesIn(input.features)).some((name) => name.startsWith(`${id}-`))) continue;
      await writeAll(directory, files);
      return created;
    } finally {
      await release();
    }
  }
  throw new CharretteError({
    code: 'internal',
    message: `No free id in ${input.features}: other processes keep taking them.`,
    retryable: true,
  });
}

function filesOf({ mode, time, prd }: CreateInput, id: string, slug: string): Record<string, string> {
  const meta = newMeta({ id, slug, mode, created: time, brainstormSource: prd?.source });
  return { '.meta.json': serializeMeta(meta), ...(prd === undefined ? {} : { 'prd.md': prd.text }) };
}

/** Reserves an id with a file, because two processes may want the same one. A file left by a crash costs only its id. */
async function claim(features: string, id: string): Promise<(() => Promise<void>) | undefined> {
  await mkdir(features, { recursive: true });
  const file = path.join(features, `.id-${id}`);
  try {
    await (await open(file, 'wx')).close();
    return () => rm(file, { force: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
    throw error;
  }
}

/** All files or no directory. */
async function writeAll(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  try {
    for (const [name, text] of Object.entries(files)) await writeFileAtomic(path.join(directory, name), text);
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}
