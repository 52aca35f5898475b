import { createHash } from 'node:crypto';
import { open, opendir } from 'node:fs/promises';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { buildImportGraph, type ImportGraph, indexTests, type TestIndex } from './import-graph.ts';
import {
  type Declaration,
  type ModuleLinks,
  matchDeclarations,
  matchModuleLinks,
  parseDeclarations,
} from './parse-script.ts';
import { declareAside, type ScriptReader, type ScriptReading, startScriptReader } from './script-reader.ts';
import {
  type FileKind,
  fileKind,
  type HistoryCommit,
  isScript,
  readLimits,
  readSnapshot,
  resolveCommit,
  type SkippedFile,
  type Snapshot,
  type SnapshotFile,
  skipByContent,
  skipByPath,
} from './snapshot.ts';
import {
  countTerms,
  createVocabulary,
  pathTerms,
  type QueryTerm,
  scoreDocuments,
  type TermVector,
  type Vocabulary,
  vectorOf,
} from './words.ts';

/** Facts about one file alone. */
export type FileFacts = {
  body: TermVector;
  declared: TermVector;
  links: ModuleLinks;
  /** How a script was read; absent when the repository has too many of them to ask the parser. */
  script?: ScriptReading['basis'];
};

/** One searchable file. */
export type IndexedFile = FileFacts & { path: string; kind: FileKind; name: TermVector; file: SnapshotFile };

/** A searchable repository: files, imports, common changes, tests. */
export type RepositoryIndex = {
  snapshot: Snapshot;
  files: readonly IndexedFile[];
  byPath: ReadonlyMap<string, IndexedFile>;
  graph: ImportGraph;
  tests: TestIndex;
  history: ChangeHistory;
  /** A vector for each commit of `history.commits`. */
  messages: readonly TermVector[];
  vocabulary: Vocabulary;
  /** Scripts that could not be parsed: too deep, or too slow. They are read by word rules. */
  unparsed: readonly string[];
  /** Names a file declares, with lines; read when first asked for. */
  declarationsOf(path: string): readonly Declaration[];
};

/** Facts kept between snapshots of one repository, by content and path. */
export type FactCache = {
  vocabulary: Vocabulary;
  facts: Map<string, FileFacts>;
  names: Map<string, TermVector>;
  messages: Map<string, TermVector>;
};

export const createFactCache = (): FactCache => ({
  vocabulary: createVocabulary(),
  facts: new Map(),
  names: new Map(),
  messages: new Map(),
});

/** Indexes a snapshot. With a cache only what is new since the last snapshot is read; a reader that was started earlier saves its start. */
export async function indexRepository(
  snapshot: Snapshot,
  cache: FactCache = createFactCache(),
  reader?: ScriptReader,
): Promise<RepositoryIndex> {
  const { vocabulary } = cache;
  const links = scriptSize(snapshot) <= parsedCharacters ? 'parsed' : 'matched';
  const keyOf = ({ oid, path }: SnapshotFile) => `${links}:${oid}:${path}`;
  const scripts = snapshot.files.filter(
    (file) => links === 'parsed' && isScript(file.path) && !cache.facts.has(keyOf(file)),
  );
  const readings = await readScripts(scripts, reader);
  const files = snapshot.files.map((file) => ({
    path: file.path,
    kind: fileKind(file.path),
    file,
    name: remember(cache.names, file.path, () => vectorOf(pathTerms(file.path), vocabulary)),
    ...remember(cache.facts, keyOf(file), () => readFacts(file, vocabulary, readings.get(file.path))),
  }));
  const byPath = new Map(files.map((file) => [file.path, file]));
  const history = buildChangeHistory(snapshot.history);
  const declarations = new Map<string, readonly Declaration[]>();
  let processes = mostProcesses;
  return {
    snapshot,
    files,
    byPath,
    graph: buildImportGraph(snapshot.files, ({ path }) => byPath.get(path)?.links.imports ?? []),
    tests: indexTests(byPath.keys()),
    history,
    messages: history.commits.map(({ id, message }) =>
      remember(cache.messages, id, () => vectorOf(countTerms(message), vocabulary)),
    ),
    vocabulary,
    unparsed: files.flatMap(({ path, script }) => (script === 'matched' ? [path] : [])),
    declarationsOf: (path) =>
      remember(declarations, path, () => {
        const file = byPath.get(path);
        const means = meansFor(file);
        if (means === 'process') processes -= 1;
        return readDeclarations(file, means === 'process' && processes < 0 ? 'words' : means);
      }),
  };
}

/** A process that parses more than this takes seconds; beyond it, words must do. */
const parsedCharacters = 8_000_000;

function scriptSize({ files }: Snapshot): number {
  return files.reduce((sum, { path, text }) => sum + (isScript(path) ? text.length : 0), 0);
}

async function readScripts(
  files: readonly SnapshotFile[],
  reader: ScriptReader | undefined,
): Promise<ReadonlyMap<string, ScriptReading>> {
  if (files.length === 0) return new Map();
  if (reader !== undefined) return reader.read(files);
  const own = startScriptReader();
  return own.read(files).finally(() => own.close());
}

function readFacts(
  { path, text }: SnapshotFile,
  vocabulary: Vocabulary,
  reading: ScriptReading | undefined,
): FileFacts {
  const names = matchDeclarations(text).map(({ name }) => name);
  return {
    body: vectorOf(countTerms(text), vocabulary),
    declared: vectorOf(countTerms(names.join(' ')), vocabulary),
    links: reading?.links ?? (isScript(path) ? matchModuleLinks(text) : { imports: [], exports: [] }),
    ...(reading === undefined ? {} : { script: reading.basis }),
  };
}

/** Processes that are started for the declarations of single files, in a repository too large to ask for all. */
const mostProcesses = 40;

type Means = 'parser' | 'process' | 'words';

/** Only what the other process could parse is parsed in this one; other threads have too small a stack. */
function meansFor(indexed: IndexedFile | undefined): Means {
  if (indexed === undefined || !isScript(indexed.path) || indexed.script === 'matched') return 'words';
  return indexed.script === 'parsed' && isMainThread ? 'parser' : 'process';
}

/** Parsed where there is a parser and the file gives a tree, matched by words otherwise. */
function readDeclarations(indexed: IndexedFile | undefined, means: Means): Declaration[] {
  if (indexed === undefined) return [];
  const { path, file } = indexed;
  const parsed =
    means === 'words'
      ? []
      : means === 'parser'
        ? parseDeclarations(path, file.text)
        : declareAside({ path, text: file.text });
  return parsed.length > 0 ? parsed : matchDeclarations(file.text);
}

function remember<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

const keptIndexes = 2;
const kept = new Map<string, Promise<RepositoryIndex>>();

/**
 * The index of a repository at a commit (default: HEAD), read once per process, also for parallel callers; the two
 * newest are kept. A folder outside of git is read each time.
 */
export async function openIndex(directory: string, revision?: string): Promise<RepositoryIndex> {
  const commit = await commitOf(directory, revision);
  if (commit === undefined) return indexed(() => readFolderSnapshot(directory));
  const key = `${directory}\0${commit}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const reading = indexed(() => readSnapshot(directory, commit));
  for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - keptIndexes + 1)))
    kept.delete(oldest);
  kept.set(key, reading);
  reading.catch(() => kept.delete(key));
  return reading;
}

/** The process that parses starts while the files are read. */
async function indexed(read: () => Promise<Snapshot>): Promise<RepositoryIndex> {
  const reader = startScriptReader();
  try {
    return await indexRepository(await read(), undefined, reader);
  } finally {
    reader.close();
  }
}

async function commitOf(directory: string, revision: string | undefined): Promise<string | undefined> {
  if (revision !== undefined && /^[0-9a-f]{40}$|^[0-9a-f]{64}$/.test(revision)) return revision;
  try {
    return await resolveCommit(directory, revision ?? 'HEAD');
  } catch (error) {
    // Without a repository or a commit only the folder can be read.
    if (revision !== undefined) throw error;
    return undefined;
  }
}

const folderLimit = 50_000;

/** Reads a folder that is not a git repository: no history, and a digest instead of a commit. */
export async function readFolderSnapshot(
  directory: string,
  totalBytes = readLimits.totalBytes,
): Promise<Snapshot> {
  const files: SnapshotFile[] = [];
  const skipped: SkippedFile[] = [];
  let total = 0;
  for (const relative of (await listFolder(directory, '')).sort()) {
    const handle = await open(path.join(directory, relative), 'r');
    try {
      const { size } = await handle.stat();
      const early =
        skipByPath(relative, size) ?? (total + size > totalBytes ? 'over the memory limit' : undefined);
      if (early !== undefined) {
        skipped.push({ path: relative, reason: early });
        continue;
      }
      const bytes = await handle.readFile();
      const reason = skipByContent(bytes);
      if (reason !== undefined) {
        skipped.push({ path: relative, reason });
        continue;
      }
      total += size;
      const oid = createHash('sha1').update(bytes).digest('hex');
      files.push({ path: relative, oid, size, text: bytes.toString('utf8') });
    } finally {
      await handle.close();
    }
  }
  const digest = createHash('sha1');
  for (const file of files) digest.update(`${file.path}\0${file.oid}\0`);
  return { commit: digest.digest('hex'), files, skipped, history: [] };
}

/** Regular files below a folder; links are not followed, hidden folders and dependencies are not entered. */
async function listFolder(root: string, below: string, found: string[] = []): Promise<string[]> {
  for await (const entry of await opendir(path.join(root, below))) {
    const relative = below === '' ? entry.name : `${below}/${entry.name}`;
    if (found.length >= folderLimit) break;
    if (entry.isFile()) found.push(relative);
    else if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules') {
      await listFolder(root, relative, found);
    }
  }
  return found;
}

/** A commit that touches more files than this (a rename, a format) says nothing about what belongs together. */
export const bulkCommitFiles = 30;

export type ChangeHistory = {
  /** The commits that are not bulk, newest first. */
  commits: readonly HistoryCommit[];
  /** For each path the positions in `commits` of those that touched it, newest first. */
  touches: ReadonlyMap<string, readonly number[]>;
};

function buildChangeHistory(commits: readonly HistoryCommit[]): ChangeHistory {
  const telling = commits.filter(({ files }) => files.length > 0 && files.length <= bulkCommitFiles);
  const touches = new Map<string, number[]>();
  for (const [position, { files }] of telling.entries()) {
    for (const file of files) {
      const list = touches.get(file);
      if (list === undefined) touches.set(file, [position]);
      else list.push(position);
    }
  }
  return { commits: telling, touches };
}

export type CoChange = { path: string; together: number; share: number };

/** The files that changed in the same commits as `path`, most often first; `share` is of the changes of `path`. */
export function coChanges(history: ChangeHistory, path: string, limit = 20): CoChange[] {
  const positions = history.touches.get(path) ?? [];
  const counts = new Map<string, number>();
  for (const position of positions) {
    for (const other of history.commits[position]?.files ?? []) {
      if (other !== path) counts.set(other, (counts.get(other) ?? 0) + 1);
    }
  }
  return [...counts]
    .map(([other, together]) => ({ path: other, together, share: together / positions.length }))
    .sort((a, b) => b.together - a.together || (a.path < b.path ? -1 : 1))
    .slice(0, limit);
}

export const subjectOf = ({ message }: HistoryCommit): string => message.split('\n', 1)[0] ?? '';

export type SimilarCommit = { commit: HistoryCommit; score: number };

/** Past commits whose messages are nearest to the description, best first; what is long ago counts a little less. */
export function similarCommits(
  index: RepositoryIndex,
  terms: readonly QueryTerm[],
  limit: number,
): SimilarCommit[] {
  const documents = index.messages.map((message) => ({ message }));
  const scores = scoreDocuments(documents, { message: { weight: 1, lengthPenalty: 0.4 } }, terms);
  return index.history.commits
    .map((commit, position) => ({
      commit,
      score: (scores[position] ?? 0) * (1 - (0.4 * position) / Math.max(1, documents.length)),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.commit.id < b.commit.id ? -1 : 1))
    .slice(0, limit);
}
