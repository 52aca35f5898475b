import fs, { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { readTextFile } from '../../base/files/bounded.ts';
import { isInside } from '../../base/files/contained.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import type { SpecCategory } from './load-specs.ts';
import type { UnreadableReason } from './read-document.ts';

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

export const constants = fs.constants;
export const open: (file: string, flags: number) => Promise<number> = promisify(fs.open);
export const close: (descriptor: number) => Promise<void> = promisify(fs.close);
export const stat: (file: string) => Promise<fs.Stats> = promisify(fs.stat);
export const statDescriptor: (descriptor: number) => Promise<fs.Stats> = promisify(fs.fstat);
export const realPath: (file: string) => Promise<string> = promisify(fs.realpath.native);
export const read: (
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
