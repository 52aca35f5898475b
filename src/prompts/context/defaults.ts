import { isUtf8 } from 'node:buffer';
import fs, { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { isInside, isMissing, readTextFile } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { countCodePoints } from '../../base/text/strings.ts';
import type { SpecCategory } from './load-specs.ts';

/**
 * Who gets the design documents, and how. `inline`: the block itself. `reference`: paths and what the builder was
 * shown of each; an evaluator never gets the text, whose words could pass for a verdict on an earlier round.
 */
export type ConsumerRule = { design: 'inline' | 'reference'; specs?: SpecCategory };

export const consumers = {
  sketch: { design: 'inline', specs: 'exploration' },
  explore: { design: 'inline', specs: 'exploration' },
  plan: { design: 'inline', specs: 'planning' },
  'lite-plan': { design: 'inline', specs: 'planning' },
  feature: { design: 'inline', specs: 'planning' },
  review: { design: 'inline', specs: 'review' },
  execute: { design: 'inline', specs: 'execution' },
  frontend: { design: 'inline', specs: 'execution' },
  'brand-design': { design: 'inline' },
  'brief-writer': { design: 'reference' },
  evaluator: { design: 'reference' },
} as const satisfies Record<string, ConsumerRule>;

export type Consumer = keyof typeof consumers;

// `node:fs/promises` loads streams and more, a tenth of the time that Node needs to start; `node:fs` is already loaded.

const constants = fs.constants;
const open: (file: string, flags: number) => Promise<number> = promisify(fs.open);
const close: (descriptor: number) => Promise<void> = promisify(fs.close);
export const stat: (file: string) => Promise<fs.Stats> = promisify(fs.stat);
const statDescriptor: (descriptor: number) => Promise<fs.Stats> = promisify(fs.fstat);
export const realPath: (file: string) => Promise<string> = promisify(fs.realpath.native);
const read: (
  descriptor: number,
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
) => Promise<{ bytesRead: number }> = promisify(fs.read);

/** Where the documents are: the folder to read and the name to cite. */
export type Location = { absolute: string; cited: string };

/** Why a text cannot be the name of a local folder; `undefined` when it can. M-010, A-61. */
export function directoryProblem(dir: string): string | undefined {
  if (dir.trim() === '') return 'is empty';
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(dir)) return 'is not a local path';
  if (/[\0-\x1f\x7f]/.test(dir)) return 'has a control character';
  return undefined;
}

/**
 * a relative folder is relative to the project root. A-21: inside the root it is cited relative to it,
 * elsewhere as given, with `/` and without trailing slashes.
 */
export function locate(root: string, dir: string): Location {
  const absolute = path.resolve(root, dir);
  if (isInside(root, absolute)) {
    const relative = path.relative(root, absolute).split(path.sep).join('/');
    return { absolute, cited: relative === '' ? '.' : relative };
  }
  return { absolute, cited: dir.split(path.sep).join('/').replace(/\/+$/, '') };
}

/** Whether a folder, by its real path, lies outside of the project. What a project names itself is not read from there. */
export async function isOutside(root: string, directory: string): Promise<boolean> {
  return !isInside(await realPath(root), directory);
}

/** The design folder that the project's own settings name, below the project; `undefined` where it is missing or outside. */
export async function ownFolder(root: string, dir: string): Promise<string | undefined> {
  const directory = await realPath(path.resolve(root, dir)).catch(() => undefined);
  if (directory === undefined || (await isOutside(root, directory))) return undefined;
  return path.relative(await realPath(root), directory) || '.';
}

/** The nearest folder upward, within the repository, that has design settings or documents; else the folder itself. */
export function findContextRoot(start: string): string {
  let found: string | undefined;
  for (let folder = start; ; folder = path.dirname(folder)) {
    const has = (name: string) => existsSync(path.join(folder, name));
    if (has(settingsFile) || has(defaultSettings.dir)) found ??= folder;
    if (has('.git')) return found ?? start;
    if (path.dirname(folder) === folder) return start;
  }
}

/** Names in the design folder that `charrette import` has written, as its own record lists them; none without a record. */
export async function importedNames(directory: string): Promise<ReadonlySet<string>> {
  const text = await readTextFile(path.join(directory, 'import-warnings.json')).catch(() => undefined);
  const reading = readJson(text ?? '');
  const written = reading.ok && isRecord(reading.value) ? reading.value['written'] : undefined;
  return new Set(Array.isArray(written) ? written.filter((name) => typeof name === 'string') : []);
}

/** M-040, A-20: consumers find the block by this exact line, whatever the folder. */
export const blockHeader = '## Design Context (from .moai/design/)';

/** M-004: the built-in settings. */
export const defaultSettings = {
  dir: '.moai/design',
  autoLoad: true,
  budget: 20_000,
  priority: ['spec', 'system', 'research', 'pencil-plan'],
} as const;

/** M-003: where a project keeps its settings, below its root. */
export const settingsFile = '.moai/config/sections/design.yaml';

/** M-035: never dropped. */
export const protectedToken = 'spec';

/** an operation script whose first half looks complete, so it is dropped rather than cut. */
export const dropOnlyToken = 'pencil-plan';

/** M-048: the log lines that others test to the letter. The dash is U+2014. */
export const logLines = {
  notConfigured: 'design_docs not configured — using defaults',
  notInitialized: 'design docs not initialized — run /moai init or SPEC-DESIGN-DOCS-001 to create',
  allPlaceholders: 'design docs present but all are _TBD_ — no content loaded',
  skipped: (token: string) => `skip: ${token} — _TBD_ only`,
  outside: (dir: string, real: string) =>
    `design docs: ${dir} lies outside of the project (${real}) and is not read — --dir reads it on your word`,
  noCandidates: (dir: string) => `design docs: no candidate files in ${dir}`,
} as const;

/** M-005: the settings file that set-up writes. */
export const settingsTemplate = `design:
  design_docs:
    dir: ${defaultSettings.dir}
    auto_load_on_design_command: ${defaultSettings.autoLoad}
    token_budget: ${defaultSettings.budget}
    priority: [${defaultSettings.priority.join(', ')}]
`;

/** One line for the log: `info` lines are tested to the letter; `warning` lines are for the author. */
export type LogLine = { level: 'info' | 'warning'; text: string };

export const info = (text: string): LogLine => ({ level: 'info', text });
export const warning = (text: string): LogLine => ({ level: 'warning', text });

/** A value found in a file, short enough and safe to print on one line. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** `auto`: called by a workflow, honours the gate. `standalone`: asked for by a person. */
export type Mode = 'auto' | 'standalone';

/** Why the block looks as it does; A-59: the machine-readable reason of an empty one. */
export type Outcome =
  | 'loaded'
  | 'gate-closed'
  | 'folder-missing'
  | 'no-candidates'
  | 'all-placeholders'
  | 'nothing-readable';

/** the authority on what is in the block; its text may imitate our own lines. */
export type FileReport = {
  token: string;
  /** As cited: `<dir>/<token>.md`. */
  path: string;
  state: 'whole' | 'cut' | 'dropped' | 'skipped' | 'absent' | 'unreadable';
  reason?: UnreadableReason;
  /** Code points of the whole file. */
  characters?: number;
  /** the estimate of the whole file in tenths of a token. */
  estimateTenths?: number;
  /** Code points in the block; for a cut file the offset of the first one missing. */
  offset?: number;
  /** Where a cut file was cut. */
  cutAt?: 'section' | 'line' | 'character';
};

export type DesignContext = {
  outcome: Outcome;
  mode: Mode;
  dir: string;
  budget: {
    tokens: number;
    rule: string;
    overflow: 'cut' | 'drop';
    /** Sum of the estimates of what is in the block, in tenths of a token. */
    usedTenths: number;
    /** Sum over everything that had content. */
    wantedTenths: number;
  };
  files: FileReport[];
  log: LogLine[];
  /** The block; zero bytes when the gate is closed. */
  text: string;
};

/** the only reasons there are; no comma or bracket, so that the warnings line stays a list. */
export const unreadableReasons = [
  'permission denied',
  'is a directory',
  'not a regular file',
  'invalid UTF-8',
  'contains NUL',
  'symlink leaves design dir',
  'io error',
] as const;

export type UnreadableReason = (typeof unreadableReasons)[number];

export type DocumentReading =
  | { state: 'text'; text: string; characters: number }
  | { state: 'absent' }
  | { state: 'unreadable'; reason: UnreadableReason };

/** Reads one document of a folder; tests pass their own to see how reads overlap. */
export type DocumentReader = (directory: string, filename: string) => Promise<DocumentReading>;

/** A JavaScript string holds no more than this. */
const sizeLimit = 500 * 1024 * 1024;

const absent: DocumentReading = { state: 'absent' };
const unreadable = (reason: UnreadableReason): DocumentReading => ({ state: 'unreadable', reason });

/**
 * Reads `<directory>/<filename>` as strict UTF-8. Never throws, and opens only what is known to be a regular file
 * inside the folder, so a FIFO or device cannot hang it. `directory` is a real path.
 */
export async function readDocument(
  directory: string,
  filename: string,
  limit = sizeLimit,
): Promise<DocumentReading> {
  try {
    const target = await realPath(path.join(directory, filename));
    return isInside(directory, target)
      ? await readRegularFile(target, limit)
      : unreadable('symlink leaves design dir');
  } catch (error) {
    return readingOf(error);
  }
}

async function readRegularFile(target: string, limit: number): Promise<DocumentReading> {
  const before = await stat(target);
  if (before.isDirectory()) return unreadable('is a directory');
  if (!before.isFile()) return unreadable('not a regular file');
  if (before.size > limit) return unreadable('io error');
  const descriptor = await open(target, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const opened = await statDescriptor(descriptor);
    if (!opened.isFile()) return unreadable('not a regular file');
    return decode(await readWhole(descriptor, Math.min(opened.size, limit)));
  } finally {
    await close(descriptor);
  }
}

/** One read is enough for an unchanged file; of a growing file the first size is read. */
async function readWhole(descriptor: number, size: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await read(descriptor, buffer, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** strict UTF-8, no NUL, a leading BOM removed. */
export function decode(bytes: Buffer): DocumentReading {
  if (!isUtf8(bytes)) return unreadable('invalid UTF-8');
  if (bytes.includes(0)) return unreadable('contains NUL');
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const text = bytes.toString('utf8', start);
  const plain = text.length === bytes.length - start;
  return { state: 'text', text, characters: plain ? text.length : countCodePoints(text) };
}

function readingOf(error: unknown): DocumentReading {
  return isMissing(error) || codeOf(error) === 'ENAMETOOLONG' ? absent : unreadable(reasonOf(error));
}

function reasonOf(error: unknown): UnreadableReason {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EISDIR') return 'is a directory';
  return 'io error';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
