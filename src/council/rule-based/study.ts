import { subjectOf } from '../../repo/index/change-history.ts';
import { coherentFiles, isNamed } from '../../repo/index/coherent-files.ts';
import { meantBy } from '../../repo/index/concepts.ts';
import type { Declaration } from '../../repo/index/declarations.ts';
import type { FileKind } from '../../repo/index/file-kinds.ts';
import { folderOf } from '../../repo/index/import-graph.ts';
import { type PublicSurface, publicSurface } from '../../repo/index/public-api.ts';
import { type RankedFile, rankFiles, type Signal } from '../../repo/index/rank-files.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import { readQuery } from '../../repo/index/search-query.ts';
import { similarCommits } from '../../repo/index/similar-commits.ts';
import { firstFilledLine } from '../../repo/index/snapshot.ts';
import { holdsTests, type TestNeighbour, testNeighbours } from '../../repo/index/test-neighbours.ts';
import { termsOf } from '../../repo/index/words.ts';
import { homeOf } from './change-steps.ts';
import { type Feature, readFeature, subjectTerms } from './feature.ts';
import { type FileRole, roleOf } from './file-role.ts';
import { commandsOf, type RunCommand } from './run-commands.ts';

/** A file the change touches, with the places in it that matter. */
export type Target = {
  path: string;
  role: FileRole;
  score: number;
  signals: Signal[];
  anchors: Declaration[];
  /** The first line that says something. */
  line: number;
  /** Files other than tests that import it. */
  importers: string[];
  tests: TestNeighbour[];
  surface: PublicSurface | undefined;
};

export type Precedent = { id: string; subject: string; files: string[]; addedFiles: boolean };

/** Everything the rules need to know about a feature in a repository. */
export type Study = {
  index: RepositoryIndex;
  feature: Feature;
  ranked: RankedFile[];
  targets: Target[];
  /** Sources that are near, but not near enough to be touched. */
  nearby: string[];
  tests: (TestNeighbour & { of: string })[];
  configuration: Target | undefined;
  /** Where the program is put together around the files that change, when it is not among them. */
  wiring: Target | undefined;
  precedents: Precedent[];
  /** Whether code changes at all, or only what people read or what tests it. */
  changesCode: boolean;
  /** Whether the thing asked for has no name in the code yet. */
  isNew: boolean;
  newFile: string;
  newTest: string;
  commands: RunCommand[];
};

const mostTargets = 6;

/** Looks a feature up in a repository. The same input always gives the same study. */
export function studyFeature(index: RepositoryIndex, text: string): Study {
  const feature = readFeature(text);
  const ranked = rankFiles(index, text, 40);
  const surface = publicSurface(index);
  const wanted = wantedKinds(feature, readQuery(text, index.vocabulary).asksFor);
  const sources = ranked.filter(({ kind, signals }) => wanted.has(kind) || isNamed(signals));
  const chosen = coherentFiles(index, sources, mostTargets);
  const toTarget = (file: RankedFile): Target => targetOf(index, file, feature, surface);
  const targets = chosen.map(toTarget);
  const isNew = hasNoName(index, feature);
  const home = homeOf({ targets, feature, index });
  const tests = withRanked(testsOf(targets), ranked, targets[0]?.path);
  const configuration = ranked.find(
    ({ path, kind }) => kind === 'source' && /(?:^|\/)config[^/]*\.[^/]+$/i.test(path),
  );
  const known = configuration ?? anyConfiguration(index);
  return {
    index,
    feature,
    ranked,
    targets,
    nearby: ranked
      .filter(({ kind }) => kind === 'source')
      .map(({ path }) => path)
      .filter((path) => !chosen.some((target) => target.path === path))
      .slice(0, 8),
    tests,
    configuration: known === undefined ? undefined : toTarget(known),
    wiring: wiringOf(index, targets, home, toTarget),
    precedents: precedentsOf(index, text),
    changesCode: targets.length === 0 || targets.some(({ role }) => role !== 'document' && role !== 'test'),
    isNew,
    newFile: freePath(index, newFilePath(feature, home?.path)),
    newTest: freePath(index, newTestPath(index, feature, home?.path, tests[0]?.path)),
    commands: commandsOf(index),
  };
}

/** Sources, and what the description asks for by name; `docs: …` and `test: …` are about those alone. */
function wantedKinds({ title }: Feature, asksFor: ReadonlySet<FileKind>): ReadonlySet<FileKind> {
  const only = /^(docs?|tests?)\b/i.exec(title)?.[1]?.toLowerCase();
  if (only !== undefined && asksFor.size > 0) return new Set([only.startsWith('doc') ? 'document' : 'test']);
  return new Set<FileKind>(['source', ...(asksFor.has('document') ? (['document'] as const) : [])]);
}

function targetOf(
  index: RepositoryIndex,
  file: RankedFile,
  feature: Feature,
  surface: ReadonlyMap<string, PublicSurface>,
): Target {
  const indexed = index.byPath.get(file.path);
  const role = indexed === undefined ? 'rules' : roleOf(index, indexed);
  return {
    path: file.path,
    role,
    score: file.score,
    signals: file.signals,
    anchors: role === 'composition' ? entryOf(index, file.path) : anchorsOf(index, file.path, feature),
    line: firstFilledLine(indexed?.file.text ?? ''),
    importers: (index.graph.importers.get(file.path) ?? []).filter((path) => !index.tests.tests.has(path)),
    tests: testNeighbours(file.path, index.graph, index.tests),
    surface: surface.get(file.path),
  };
}

/** Where a program is put together: the function that does it. */
function entryOf(index: RepositoryIndex, path: string): Declaration[] {
  const declarations = index.declarationsOf(path).filter(({ owner }) => owner === undefined);
  const entry =
    declarations.find(({ kind, exported }) => kind === 'function' && exported) ?? declarations.at(-1);
  return entry === undefined ? [] : [entry];
}

const mostAnchors = 3;

/** The declarations of a file that share words with the feature, else its first exported one. */
function anchorsOf(index: RepositoryIndex, path: string, feature: Feature): Declaration[] {
  const own = subjectTerms(feature);
  const meant = new Set([...own].flatMap((term) => [...meantBy(term)]));
  const declarations = index.declarationsOf(path).filter(({ name }) => name !== 'constructor');
  const scored = declarations.map((declaration) => {
    const terms = termsOf(declaration.name);
    const score =
      terms.filter((term) => own.has(term)).length * 2 +
      terms.filter((term) => meant.has(term)).length +
      (declaration.exported && declaration.owner === undefined ? 0.5 : 0) +
      (declaration.kind === 'type' || declaration.kind === 'variable' ? 0 : 0.5) +
      (/Status|State|Kind|allowed/.test(declaration.name) && declaration.owner === undefined ? 1 : 0);
    return { declaration, score };
  });
  const best = scored
    .filter(({ score }) => score >= 1)
    .sort((a, b) => b.score - a.score || a.declaration.line - b.declaration.line)
    .map(({ declaration }) => declaration);
  const first =
    declarations.find(({ exported, owner }) => exported && owner === undefined) ?? declarations[0];
  return best.length > 0 ? best.slice(0, mostAnchors) : first === undefined ? [] : [first];
}

/** Whether some word of the thing itself is in no path and no declared name. */
function hasNoName(index: RepositoryIndex, feature: Feature): boolean {
  const known = (term: string) => {
    const id = index.vocabulary.lookUp(term);
    if (id === undefined) return false;
    return index.files.some(
      ({ kind, name, declared }) => kind === 'source' && (name.ids.includes(id) || declared.ids.includes(id)),
    );
  };
  const terms = feature.subject.flatMap((word) => termsOf(word).slice(0, 1));
  return terms.some((term) => !known(term));
}

function testsOf(targets: readonly Target[]): Study['tests'] {
  const found = new Map<string, TestNeighbour & { of: string; place: number }>();
  for (const [position, target] of targets.entries()) {
    for (const [place, test] of target.tests.slice(0, 3).entries()) {
      const rank = position + place * 2 + (test.why === 'imports an importer' ? 4 : 0);
      const known = found.get(test.path);
      if (known === undefined || known.place > rank)
        found.set(test.path, { ...test, of: target.path, place: rank });
    }
  }
  return [...found.values()]
    .filter(({ path }) => holdsTests(path))
    .sort((a, b) => a.place - b.place || (a.path < b.path ? -1 : 1))
    .slice(0, 4)
    .map(({ place: _place, ...test }) => test);
}

const fewestTests = 2;

/** Tests near the files; where there are few, those that the search itself found. */
function withRanked(
  tests: Study['tests'],
  ranked: readonly RankedFile[],
  of: string | undefined,
): Study['tests'] {
  if (tests.length >= fewestTests || of === undefined) return tests;
  const found = ranked
    .filter(({ path }) => holdsTests(path) && !tests.some((test) => test.path === path))
    .map(({ path }) => ({ path, why: 'matches the words' as const, of }));
  return [...tests, ...found].slice(0, fewestTests);
}

function anyConfiguration(index: RepositoryIndex): RankedFile | undefined {
  const found = index.files.find(
    ({ path, kind }) => kind === 'source' && /(?:^|\/)config(?:uration)?\.[^/]+$/i.test(path),
  );
  return found === undefined ? undefined : { path: found.path, kind: found.kind, score: 0, signals: [] };
}

function wiringOf(
  index: RepositoryIndex,
  targets: readonly Target[],
  home: Target | undefined,
  toTarget: (file: RankedFile) => Target,
): Target | undefined {
  if (targets.some(({ role }) => role === 'composition')) return undefined;
  const users = (home?.importers ?? []).map((path) => ({
    path,
    kind: 'source' as const,
    score: 0,
    signals: [],
  }));
  return users.map(toTarget).find(({ path, role }) => role === 'composition' && index.byPath.has(path));
}

function precedentsOf(index: RepositoryIndex, text: string): Precedent[] {
  return similarCommits(index, readQuery(text, index.vocabulary).terms, 3).map(({ commit }) => {
    const position = index.history.commits.indexOf(commit);
    return {
      id: commit.id.slice(0, 10),
      subject: subjectOf(commit),
      files: commit.files.filter((path) => index.byPath.has(path)),
      addedFiles: commit.files.some((path) => index.history.touches.get(path)?.at(-1) === position),
    };
  });
}

/** The path itself, or with a number when there is such a file already. */
function freePath(index: RepositoryIndex, path: string): string {
  const taken = new Set(index.snapshot.skipped.map((file) => file.path));
  const isFree = (candidate: string) => !index.byPath.has(candidate) && !taken.has(candidate);
  if (isFree(path)) return path;
  const slash = path.lastIndexOf('/') + 1;
  const dot = path.indexOf('.', slash);
  const [stem, ending] = dot === -1 ? [path, ''] : [path.slice(0, dot), path.slice(dot)];
  for (let number = 2; ; number += 1) {
    if (isFree(`${stem}-${number}${ending}`)) return `${stem}-${number}${ending}`;
  }
}

function newFilePath({ kebab, camel }: Feature, home: string | undefined): string {
  const ending = /\.[^./]+$/.exec(home ?? '')?.[0] ?? '.ts';
  const base = home?.slice(home.lastIndexOf('/') + 1) ?? '';
  const name = /^[a-z]+[A-Z]/.test(base)
    ? camel
    : /_/.test(base) || ending === '.py'
      ? kebab.replaceAll('-', '_')
      : kebab;
  const folder = home === undefined ? 'src' : folderOf(home);
  return `${folder === '' ? '' : `${folder}/`}${name}${ending}`;
}

/** A test path in the manner of the nearest existing test. */
function newTestPath(
  index: RepositoryIndex,
  feature: Feature,
  home: string | undefined,
  nearest: string | undefined,
): string {
  const model = nearest ?? [...index.tests.tests].find((path) => /[._-](?:test|spec)\.|test_/.test(path));
  const file = newFilePath(feature, home);
  const name = file.slice(file.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '');
  if (model === undefined) return file.replace(/(\.[^./]+)$/, '.test$1');
  const base = model.slice(model.lastIndexOf('/') + 1);
  const folder = folderOf(model);
  const made = /^test_/.test(base)
    ? `test_${name}${/\.[^.]+$/.exec(base)?.[0] ?? ''}`
    : `${name}${/[._-](?:test|spec)\.[^/]+$/.exec(base)?.[0] ?? `.test${/\.[^.]+$/.exec(base)?.[0] ?? '.ts'}`}`;
  return folder === '' ? made : `${folder}/${made}`;
}
