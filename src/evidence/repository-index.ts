import { buildChangeHistory, type ChangeHistory } from './change-history.ts';
import { type Declaration, matchDeclarations } from './declarations.ts';
import { type FileKind, fileKind, isScript } from './file-kinds.ts';
import { buildImportGraph, type ImportGraph } from './import-graph.ts';
import { type ModuleLinks, matchModuleLinks, parseDeclarations, readModuleLinks } from './parse-script.ts';
import type { Snapshot, SnapshotFile } from './snapshot.ts';
import { createVocabulary, type TermVector, type Vocabulary, vectorOf } from './term-vector.ts';
import { indexTests, type TestIndex } from './test-neighbours.ts';
import { countTerms, pathTerms } from './words.ts';

/** What is known of one file without looking at others. */
export type FileFacts = { body: TermVector; declared: TermVector; links: ModuleLinks };

/** One file as it is searched. */
export type IndexedFile = FileFacts & { path: string; kind: FileKind; name: TermVector; file: SnapshotFile };

/** A repository that can be asked: which files, what depends on what, what changed with what, which tests. */
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

/** Indexes a snapshot. With a cache only what is new since the last snapshot is read. */
export function indexRepository(snapshot: Snapshot, cache: FactCache = createFactCache()): RepositoryIndex {
  const { vocabulary } = cache;
  const links = scriptSize(snapshot) <= parsedCharacters ? 'parsed' : 'matched';
  const files = snapshot.files.map((file) => ({
    path: file.path,
    kind: fileKind(file.path),
    file,
    name: remember(cache.names, file.path, () => vectorOf(pathTerms(file.path), vocabulary)),
    ...remember(cache.facts, `${links}:${file.oid}:${file.path}`, () => readFacts(file, vocabulary, links)),
  }));
  const byPath = new Map(files.map((file) => [file.path, file]));
  const history = buildChangeHistory(snapshot.history);
  const declarations = new Map<string, readonly Declaration[]>();
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
    declarationsOf: (path) =>
      remember(declarations, path, () => readDeclarations(path, byPath.get(path)?.file.text ?? '')),
  };
}

/** The parser holds on to about twenty times what it reads until the next collection; beyond this, words must do. */
const parsedCharacters = 8_000_000;

function scriptSize({ files }: Snapshot): number {
  return files.reduce((sum, { path, text }) => sum + (isScript(path) ? text.length : 0), 0);
}

function readFacts(file: SnapshotFile, vocabulary: Vocabulary, links: 'parsed' | 'matched'): FileFacts {
  const names = matchDeclarations(file.text).map(({ name }) => name);
  return {
    body: vectorOf(countTerms(file.text), vocabulary),
    declared: vectorOf(countTerms(names.join(' ')), vocabulary),
    links: readLinks(file, links),
  };
}

function readLinks({ path, text }: SnapshotFile, links: 'parsed' | 'matched'): ModuleLinks {
  if (!isScript(path)) return { imports: [], exports: [] };
  return links === 'parsed' ? readModuleLinks(path, text) : matchModuleLinks(text);
}

/** Parsed where there is a parser and the file gives a tree, matched by words otherwise. */
export function readDeclarations(path: string, text: string): Declaration[] {
  const parsed = isScript(path) ? parseDeclarations(path, text) : [];
  return parsed.length > 0 ? parsed : matchDeclarations(text);
}

function remember<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
