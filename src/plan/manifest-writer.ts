import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../base/files/bounded.ts';
import { isInside, isMissing } from '../base/files/contained.ts';
import {
  controlCharacters,
  exportFolder,
  type ManifestFile,
  manifestFiles,
  manifestName,
  manifestVersion,
} from './manifest-reader.ts';

export type ManifestWriting =
  | { ok: true; manifest: string }
  /** L-790: 2 for wrong use, 1 for everything else. */
  | { ok: false; exit: 1 | 2; message: string };

export type ManifestInput = {
  designDirectory: string;
  implementDirectory: string;
  /** From the environment, when it is set. */
  sessionId?: string;
  now: Date;
};

class ManifestFailure extends Error {
  readonly exit: 1 | 2;
  constructor(message: string, exit: 1 | 2 = 1) {
    super(message);
    this.exit = exit;
  }
}

const largestFile = 32 * 1024 * 1024;

/** L-790…L-796: exports the deliverables and writes the manifest last. On failure the export that was there before is left alone. */
export async function writeManifest(input: ManifestInput): Promise<ManifestWriting> {
  try {
    return { ok: true, manifest: await exportDesign(input) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, exit: error instanceof ManifestFailure ? error.exit : 1, message };
  }
}

/** C-17: puts an older manifest aside at the start of a run, so that a failed rerun leaves nothing valid behind. */
export function poisonManifest(implementDirectory: string): Promise<boolean> {
  return putAside(path.join(implementDirectory, exportFolder, manifestName));
}

/** Renames a file of an earlier run out of the way; false when there is none. */
export async function putAside(file: string): Promise<boolean> {
  try {
    await rename(file, `${file}.stale`);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function exportDesign({
  designDirectory,
  implementDirectory,
  sessionId,
  now,
}: ManifestInput): Promise<string> {
  const design = await canonicalDirectory(designDirectory, 'design');
  const implement = await canonicalDirectory(implementDirectory, 'implement');
  const session = await sessionOf(implement, sessionId);
  const target = path.join(implement, exportFolder);
  const existing = await statOf(target);
  if (existing && !existing.isDirectory()) throw new ManifestFailure(`${target} is not a directory`);
  const stage = await mkdtemp(path.join(implement, `${exportFolder}.stage.`));
  try {
    const staged = await stageAll(design, stage);
    const text = manifestText(target, staged, session, now);
    const temporary = path.join(stage, manifestName);
    await writeFile(temporary, text, { flag: 'wx' });
    await mkdir(target, { recursive: true });
    await promote(stage, target, staged);
    await rename(temporary, path.join(target, manifestName));
    return path.join(target, manifestName);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** L-795: the live manifest goes first; a crash from here on leaves none rather than one over a mixed bundle. */
async function promote(stage: string, target: string, staged: readonly ManifestFile[]): Promise<void> {
  await rm(path.join(target, manifestName), { force: true });
  for (const file of manifestFiles) {
    const live = path.join(target, file.source);
    if (staged.includes(file)) await rename(path.join(stage, file.source), live);
    else await rm(live, { force: true });
  }
}

async function stageAll(design: string, stage: string): Promise<ManifestFile[]> {
  const staged: ManifestFile[] = [];
  for (const file of manifestFiles) {
    if (await stageOne(design, stage, file)) staged.push(file);
  }
  return staged;
}

/** L-792, L-794: a regular file of the design directory itself, no link, not empty where it must not be. */
async function stageOne(design: string, stage: string, file: ManifestFile): Promise<boolean> {
  const source = path.join(design, file.source);
  const stats = await statOf(source);
  if (!stats) {
    if (file.required) throw new ManifestFailure(`${file.source} is missing`);
    return false;
  }
  if (stats.isSymbolicLink()) throw new ManifestFailure(`${file.source} is a symbolic link`);
  if (!stats.isFile()) throw new ManifestFailure(`${file.source} is not a regular file`);
  if (!isInside(design, await realpath(path.dirname(source))))
    throw new ManifestFailure(`${file.source} leads out`);
  const handle = await open(source, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if ((await handle.stat()).size > largestFile)
      throw new ManifestFailure(`${file.source} is larger than ${largestFile} bytes`);
    const content = await handle.readFile();
    if (content.length === 0 && !file.mayBeEmpty) throw new ManifestFailure(`${file.source} is empty`);
    await writeFile(path.join(stage, file.source), content, { flag: 'wx' });
  } finally {
    await handle.close();
  }
  return true;
}

function manifestText(target: string, staged: readonly ManifestFile[], session: string, now: Date): string {
  if (controlCharacters.test(target))
    throw new ManifestFailure('the path of the export holds control characters');
  const lines = [
    `MANIFEST_VERSION=${manifestVersion}`,
    ...staged.map(({ key, source }) => `${key}=${path.join(target, source)}`),
    `TIMESTAMP=${now.toISOString().replace(/\.\d+Z$/, 'Z')}`,
    `SESSION_ID=${session}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** L-796 */
async function sessionOf(implement: string, given: string | undefined): Promise<string> {
  const raw =
    given || (await readTextFile(path.join(implement, 'session-id'), 4096)) || path.basename(implement);
  const session = raw.replace(/[\u0000-\u001f\u007f]/g, '');
  if (session === '') throw new ManifestFailure('the session id is empty');
  return session;
}

async function canonicalDirectory(directory: string, name: string): Promise<string> {
  if (directory === '') throw new ManifestFailure(`no ${name} directory was given`, 2);
  const stats = await statOf(directory).catch(() => undefined);
  const real = stats ? await realpath(directory) : undefined;
  if (real === undefined || !(await lstat(real)).isDirectory()) {
    throw new ManifestFailure(`the ${name} directory ${directory} does not exist`);
  }
  return real;
}

async function statOf(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
