import { isMainThread } from 'node:worker_threads';
import { createVocabulary, type TermVector, type Vocabulary, vectorOf } from './bm25.ts';
import { buildChangeHistory, type ChangeHistory } from './change-history.ts';
import { type Declaration, matchDeclarations } from './declarations.ts';
import { type FileKind, fileKind, isScript } from './file-kinds.ts';
import { buildImportGraph, type ImportGraph } from './import-graph.ts';
import { type ModuleLinks, matchModuleLinks, parseDeclarations } from './parse-script.ts';
import { declareAside, type ScriptReader, type ScriptReading, startScriptReader } from './script-reader.ts';
import type { Snapshot, SnapshotFile } from './snapshot.ts';
import { indexTests, type TestIndex } from './test-neighbours.ts';
import { countTerms, pathTerms } from './words.ts';

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
