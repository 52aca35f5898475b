import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isInside, isMissing, readTextFile } from '../base/files/bounded.ts';

/** L-792, L-793: what a manifest holds, in the order of its lines. */
export type ManifestFile = {
  source: string;
  key: string;
  required: boolean;
  mayBeEmpty: boolean;
  /** L-802: the reader's token when the key is missing. */
  missing?: string;
};

export const manifestFiles = [
  { source: 'plan.txt', key: 'PLAN_FILE', required: true, mayBeEmpty: false, missing: 'missing-plan-file' },
  {
    source: 'voting-tally.md',
    key: 'PLAN_REVIEW_TALLY_FILE',
    required: true,
    mayBeEmpty: false,
    missing: 'missing-plan-review-tally-file',
  },
  {
    source: 'contested-decisions.md',
    key: 'CONTESTED_CRITERIA_FILE',
    required: true,
    mayBeEmpty: true,
    missing: 'missing-contested-criteria-file',
  },
  { source: 'oos.md', key: 'OOS_FILE', required: true, mayBeEmpty: true, missing: 'missing-oos-file' },
  {
    source: 'rejected-findings.md',
    key: 'REJECTED_FINDINGS_FILE',
    required: true,
    mayBeEmpty: true,
    missing: 'missing-rejected-findings-file',
  },
  {
    source: 'accepted-plan-findings.md',
    key: 'ACCEPTED_PLAN_FINDINGS_FILE',
    required: true,
    mayBeEmpty: true,
    missing: 'missing-accepted-plan-findings-file',
  },
  { source: 'architecture-diagram.md', key: 'ARCHITECTURE_DIAGRAM_FILE', required: false, mayBeEmpty: true },
] as const satisfies readonly ManifestFile[];

export const manifestVersion = '1';
export const exportFolder = 'design-export';
export const manifestName = 'manifest.env';

/** C0 controls and DEL, tab included. */
export const controlCharacters = /[\u0000-\u001f\u007f]/;

/** L-804: what is known of a manifest once every check has passed. */
export type ManifestReading =
  | { ok: true; files: Record<string, string>; timestamp: string; sessionId: string }
  /** A token of L-802. */
  | { ok: false; error: string };

type Checked<Value> = { value: Value } | { error: string };

const knownKeys = ['MANIFEST_VERSION', 'TIMESTAMP', 'SESSION_ID', ...manifestFiles.map(({ key }) => key)];
const largestManifest = 256 * 1024;

/** L-800…L-804: reads a manifest without ever trusting it. Nothing of it is returned unless all of it is right. */
export async function readManifest(implementDirectory: string): Promise<ManifestReading> {
  try {
    return await verify(implementDirectory);
  } catch {
    return { ok: false, error: 'internal-error' };
  }
}

async function verify(implementDirectory: string): Promise<ManifestReading> {
  const folder = path.join(implementDirectory, exportFolder);
  const text = await readTextFile(path.join(folder, manifestName), largestManifest).catch(() => undefined);
  if (!text) return { ok: false, error: 'manifest-not-found' };
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined) return { ok: false, error: 'export-dir-not-found' };
  const parsed = parseManifest(text);
  if ('error' in parsed) return { ok: false, error: parsed.error };
  const values = parsed.value;
  const missing = missingKey(values);
  if (missing !== undefined) return { ok: false, error: missing };
  const files: Record<string, string> = {};
  for (const file of manifestFiles) {
    const value = values.get(file.key);
    if (value === undefined) continue;
    const checked = await verifyPath(value, root, file);
    if ('error' in checked) return { ok: false, error: checked.error };
    files[file.key] = checked.value;
  }
  return {
    ok: true,
    files,
    timestamp: values.get('TIMESTAMP') ?? '',
    sessionId: values.get('SESSION_ID') ?? '',
  };
}

/** L-801: one `KEY=value` per line, split at the first `=`; a known key comes once. */
export function parseManifest(text: string): Checked<Map<string, string>> {
  const values = new Map<string, string>();
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const split = line.indexOf('=');
    if (split === -1) return { error: 'malformed-line' };
    const [key, value] = [line.slice(0, split), line.slice(split + 1)];
    if (!/^[A-Z][A-Z0-9_]*$/.test(key)) return { error: 'invalid-key' };
    if (controlCharacters.test(value)) return { error: 'control-char' };
    if (!knownKeys.includes(key)) continue;
    if (values.has(key)) return { error: `duplicate-key:${key}` };
    values.set(key, value);
  }
  return { value: values };
}

function missingKey(values: ReadonlyMap<string, string>): string | undefined {
  if (values.get('MANIFEST_VERSION') !== manifestVersion) return 'unsupported-version';
  const file = manifestFiles.find((each) => each.required && !values.get(each.key));
  if (file && 'missing' in file) return file.missing;
  if (!values.get('TIMESTAMP')) return 'missing-timestamp';
  return values.get('SESSION_ID') ? undefined : 'missing-session-id';
}

/** L-802, L-803 */
async function verifyPath(value: string, root: string, file: ManifestFile): Promise<Checked<string>> {
  if (!path.isAbsolute(value)) return { error: 'path-not-absolute' };
  const stats = await lstat(value).catch(() => undefined);
  if (stats?.isSymbolicLink()) return { error: 'symlink-rejected' };
  if (!stats?.isFile()) return { error: 'path-not-regular' };
  const canonical = path.join(await realpath(path.dirname(value)), path.basename(value));
  if (!isInside(root, canonical)) return { error: 'path-escaped-export-dir' };
  if (stats.size === 0 && !file.mayBeEmpty) return { error: 'required-empty' };
  return { value: canonical };
}

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

/** L-790…L-796: exports the deliverables and writes the manifest last. On failure the previous export stays. */
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
