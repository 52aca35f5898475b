import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { commitOf } from '../git/repository-facts.ts';
import { type GitOptions, gitOutput, streamGit } from '../git/run-git.ts';

/** One text file at the commit. */
export type SnapshotFile = { path: string; oid: string; size: number; text: string };

export type SkippedFile = { path: string; reason: SkipReason };

/** One commit of the history, with the files it touched. */
export type HistoryCommit = { id: string; time: number; message: string; files: readonly string[] };

/** A repository at one commit: everything evidence is drawn from. Nothing below reads the disk. */
export type Snapshot = {
  /** Full id of the commit; for a folder without git a digest of its contents. */
  commit: string;
  files: readonly SnapshotFile[];
  skipped: readonly SkippedFile[];
  /** Newest first, merges left out, up to and including `commit`. */
  history: readonly HistoryCommit[];
};

/** The first line of a text that is not blank, from 1; 1 when all are. */
export function firstFilledLine(text: string): number {
  return (
    Math.max(
      0,
      linesOf(text).findIndex((line) => line.trim() !== ''),
    ) + 1
  );
}

/** The lines of a text, without their ends; a final line end makes no further line. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Why a file is not read. Each is counted and can be shown; none is silent. */
type SkipReason =
  | 'symbolic link'
  | 'submodule'
  | 'too large'
  | 'binary'
  | 'vendored'
  | 'generated'
  | 'minified'
  | 'lock file'
  | 'over the memory limit';

type PathRule = { reason: SkipReason; pattern: RegExp };

const pathRules: readonly PathRule[] = [
  {
    reason: 'vendored',
    pattern: /(?:^|\/)(?:node_modules|vendor|third_party|third-party|bower_components|\.yarn|\.pnp)\//,
  },
  { reason: 'generated', pattern: /(?:^|\/)(?:dist|coverage|\.next|\.nuxt|\.svelte-kit|__pycache__)\// },
  { reason: 'generated', pattern: /\.(?:snap|pb\.go|g\.dart|designer\.cs|map)$/i },
  { reason: 'generated', pattern: /(?:_pb2(?:_grpc)?\.py|\.generated\.[a-z]+)$/i },
  { reason: 'minified', pattern: /[.-]min\.(?:js|css|mjs)$/i },
  {
    reason: 'lock file',
    pattern:
      /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|uv\.lock|poetry\.lock|Pipfile\.lock|Cargo\.lock|Gemfile\.lock|composer\.lock|go\.sum)$/,
  },
  {
    reason: 'binary',
    pattern:
      /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|pdf|zip|gz|tgz|bz2|xz|7z|jar|war|class|exe|dll|so|dylib|a|o|wasm|woff2?|ttf|otf|eot|mp[34]|mov|avi|webm|ogg|wav|flac|sqlite|db|bin|dat|node|pyc)$/i,
  },
];

/** Limits on what is held in memory, in bytes. */
export const readLimits = { fileBytes: 512 * 1024, totalBytes: 96 * 1024 * 1024 } as const;

/** Why a file need not be opened, judged by its path and size alone. */
export function skipByPath(path: string, size: number): SkipReason | undefined {
  const rule = pathRules.find(({ pattern }) => pattern.test(path));
  if (rule !== undefined) return rule.reason;
  return size > readLimits.fileBytes ? 'too large' : undefined;
}

const sampleLength = 8000;
const longestAverageLine = 400;
const generatedMark =
  /@generated\b|\bDO NOT EDIT\b|\bauto-?generated (?:file|by)\b|^(?:\/\/|#|\/\*) Code generated .* DO NOT EDIT/im;

/** Why a file that was opened is not evidence, judged by its beginning. */
export function skipByContent(bytes: Uint8Array): SkipReason | undefined {
  const sample = bytes.subarray(0, sampleLength);
  if (sample.includes(0)) return 'binary';
  const text = Buffer.from(sample.buffer, sample.byteOffset, sample.byteLength).toString('latin1');
  if (generatedMark.test(text.slice(0, 600))) return 'generated';
  const lines = text.split('\n').length;
  return text.length >= 4000 && text.length / lines > longestAverageLine ? 'minified' : undefined;
}

/** What a file is for. */
export type FileKind = 'source' | 'test' | 'document' | 'configuration' | 'other';

export type Language = 'javascript' | 'typescript' | 'other';

const testPath =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testing|fixtures)\/|(?:[._-](?:test|spec|test-d|bench|cy)|_test|Tests?)\.[a-zA-Z]+$|(?:^|\/)test_[^/]+\.py$|(?:^|\/)conftest\.py$/;
const documentPath = /\.(?:md|mdx|rst|adoc|txt)$|(?:^|\/)(?:LICENSE|NOTICE|AUTHORS|CHANGES|CHANGELOG)[^/]*$/i;
const configurationPath =
  /\.(?:json|jsonc|ya?ml|toml|ini|cfg|conf|env|properties|lock|editorconfig)$|(?:^|\/)(?:Makefile|Dockerfile|\.[^/]+)$|(?:^|\/)[^/]*\.config\.[cm]?[jt]s$|(?:^|\/)\.(?:github|circleci|vscode)\//;
const sourcePath =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|pyi|rb|go|rs|java|kt|kts|scala|cs|fs|swift|m|mm|c|h|cc|cpp|hpp|cxx|php|pl|pm|lua|ex|exs|erl|hs|ml|clj|dart|r|jl|sh|bash|zsh|ps1|sql|graphql|proto|css|scss|less|html|ejs|hbs|j2|jinja2?)$/i;

export function fileKind(path: string): FileKind {
  if (documentPath.test(path)) return 'document';
  if (testPath.test(path)) return 'test';
  if (configurationPath.test(path)) return 'configuration';
  return sourcePath.test(path) ? 'source' : 'other';
}

export function languageOf(path: string): Language {
  if (/\.[cm]?tsx?$/.test(path)) return 'typescript';
  return /\.[cm]?jsx?$/.test(path) ? 'javascript' : 'other';
}

/** Whether the file can be parsed as JavaScript or TypeScript. */
export const isScript = (path: string): boolean => languageOf(path) !== 'other';

type TreeEntry = { mode: string; type: string; oid: string; size: number; path: string };

type Reading = { text: string } | { reason: SkipReason };

/** Shared by the snapshots of one repository at several commits: nothing is read twice. */
export type SnapshotCache = { readings: Map<string, Reading>; commits: Map<string, HistoryCommit> };

export const createSnapshotCache = (): SnapshotCache => ({ readings: new Map(), commits: new Map() });

export type SnapshotOptions = {
  /** How many commits of history are read. */
  commits?: number;
  totalBytes?: number;
  signal?: AbortSignal;
  cache?: SnapshotCache;
};

export const defaultCommits = 2000;

/** Reads a repository at a commit: one process lists it, one reads all files, two read the history. */
export async function readSnapshot(
  directory: string,
  revision = 'HEAD',
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  const commit = await resolveCommit(directory, revision);
  const [entries, history] = await Promise.all([
    listTree(directory, commit),
    readHistory(directory, commit, options.commits ?? defaultCommits, options.cache?.commits),
  ]);
  return { commit, ...(await readFiles(directory, entries, options)), history };
}

/** The full id of a commit; the revision is never taken for an option. */
export async function resolveCommit(directory: string, revision: string): Promise<string> {
  const commit = await commitOf(directory, revision, { offline: true });
  if (commit !== undefined) return commit;
  // Tells a missing repository from a missing commit.
  await readGit(directory, ['rev-parse', '--git-dir']);
  throw new CharretteError({
    code: 'not-found',
    message: `This clone has no commit ${JSON.stringify(revision)}.`,
    fix: 'Check the name, or fetch the commit.',
  });
}

/** Files of the directory at the commit; below the root of a repository only those of that folder. */
async function listTree(directory: string, commit: string): Promise<TreeEntry[]> {
  const output = await readGit(directory, ['ls-tree', '-r', '-z', '-l', commit]);
  return output.split('\0').flatMap((line) => {
    const [, mode = '', type = '', oid = '', size = '', path = ''] =
      /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t([\s\S]+)$/.exec(line) ?? [];
    return path === '' ? [] : [{ mode, type, oid, size: Number(size) || 0, path }];
  });
}

async function readFiles(directory: string, entries: readonly TreeEntry[], options: SnapshotOptions) {
  const totalBytes = options.totalBytes ?? readLimits.totalBytes;
  const skipped: SkippedFile[] = [];
  const wanted: TreeEntry[] = [];
  let planned = 0;
  for (const entry of [...entries].sort(byWorth)) {
    const reason =
      skipEntry(entry) ?? (planned + entry.size > totalBytes ? 'over the memory limit' : undefined);
    if (reason !== undefined) skipped.push({ path: entry.path, reason });
    else {
      planned += entry.size;
      wanted.push(entry);
    }
  }
  const readings = options.cache?.readings ?? new Map<string, Reading>();
  const missing = [...new Set(wanted.map(({ oid }) => oid))].filter((oid) => !readings.has(oid));
  await readObjects(directory, missing, totalBytes, readings, options.signal);
  const files: SnapshotFile[] = [];
  for (const { path, oid, size } of wanted) {
    const reading = readings.get(oid) ?? { text: '' };
    if ('reason' in reading) skipped.push({ path, reason: reading.reason });
    else files.push({ path, oid, size, text: reading.text });
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, skipped };
}

const worth: readonly FileKind[] = ['source', 'test', 'document', 'configuration', 'other'];

/** When not everything fits in memory, sources and tests come before the rest. */
function byWorth(a: TreeEntry, b: TreeEntry): number {
  return worth.indexOf(fileKind(a.path)) - worth.indexOf(fileKind(b.path)) || (a.path < b.path ? -1 : 1);
}

function skipEntry({ mode, type, path, size }: TreeEntry): SkipReason | undefined {
  if (type === 'commit') return 'submodule';
  if (mode === '120000') return 'symbolic link';
  return skipByPath(path, size);
}

/** All objects through one `git cat-file --batch`, read as they come. */
async function readObjects(
  directory: string,
  oids: readonly string[],
  totalBytes: number,
  readings: Map<string, Reading>,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (oids.length === 0) return;
  const feed = objectReader((oid, bytes) => {
    const reason = skipByContent(bytes);
    readings.set(oid, reason === undefined ? { text: bytes.toString('utf8') } : { reason });
  });
  await streamObjects(directory, ['cat-file', '--batch', '--buffer'], feed, {
    input: `${oids.join('\n')}\n`,
    maximumBytes: totalBytes + oids.length * 128,
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Takes the output of `cat-file --batch` apart: a header line, the bytes, a line end, for each object. */
function objectReader(onObject: (oid: string, bytes: Buffer) => void): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0);
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (let end = pending.indexOf(10); end !== -1; end = pending.indexOf(10)) {
      const [, oid, size] = /^([0-9a-f]+) blob (\d+)$/.exec(pending.toString('latin1', 0, end)) ?? [];
      const after = end + 1 + (size === undefined ? 0 : Number(size) + 1);
      if (pending.length < after) return;
      if (oid !== undefined) onObject(oid, pending.subarray(end + 1, after - 1));
      pending = pending.subarray(after);
    }
  };
}

const commitMark = '\x01';
/** Below the root of a repository only files of that folder count, under their names there. */
const format = ['--relative', '--no-renames', '--name-only', '-z', '--format=%x01%H%x00%ct%x00%B%x00'];

/** The commits up to `commit`, newest first, merges left out. What `known` has is not read again. */
export async function readHistory(
  directory: string,
  commit: string,
  limit: number,
  known: Map<string, HistoryCommit> = new Map(),
): Promise<HistoryCommit[]> {
  const output = await readGit(directory, [
    'rev-list',
    '--no-merges',
    `--max-count=${limit}`,
    '--end-of-options',
    commit,
  ]);
  const ids = output.split('\n').filter(Boolean);
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length > 0) {
    const text = await readGit(directory, ['log', '--no-walk=unsorted', ...format, '--stdin'], {
      input: `${missing.join('\n')}\n`,
    });
    const boundary = await shallowBoundary(directory);
    // Where a shallow clone is cut off git calls every file new: what that commit changed is not known.
    for (const entry of parseLog(text))
      known.set(entry.id, boundary.has(entry.id) ? { ...entry, files: [] } : entry);
  }
  return ids.flatMap((id) => known.get(id) ?? []);
}

async function shallowBoundary(directory: string): Promise<Set<string>> {
  const file = (await readGit(directory, ['rev-parse', '--git-path', 'shallow'])).trim();
  const text = await readFile(resolve(directory, file), 'utf8').catch(() => '');
  return new Set(text.split('\n'));
}

function parseLog(text: string): HistoryCommit[] {
  return text.split(commitMark).flatMap((block) => {
    const [id = '', time = '', message = '', ...names] = block.split('\0');
    if (!/^[0-9a-f]{40,64}$/.test(id)) return [];
    const files = names.map((name) => name.replace(/^\n+/, '')).filter((name) => name !== '');
    return [{ id, time: Number(time), message: message.trim().slice(0, 4000), files }];
  });
}

/** Evidence is what the repository holds: fetches nothing and follows no replacement objects. */
const rules = { offline: true, maximumBytes: 512 * 1024 * 1024, timeoutMs: 600_000 };
const ownObjects = '--no-replace-objects';

export function readGit(
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  return gitOutput(directory, [ownObjects, ...args], { ...rules, ...options });
}

export function streamObjects(
  directory: string,
  args: readonly string[],
  onChunk: (chunk: Buffer) => void,
  options: GitOptions = {},
): Promise<void> {
  return streamGit(directory, [ownObjects, ...args], onChunk, { ...rules, ...options });
}
