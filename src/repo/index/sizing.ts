import { isRecord, readJson } from '../../base/safe-json.ts';
import { folderOf, joinPath, testNeighbours } from './import-graph.ts';
import { type RankedFile, rankFiles, type Signal } from './rank-files.ts';
import { coChanges, type RepositoryIndex } from './repository-index.ts';

export const depths = ['solo', 'quick', 'regular', 'wide'] as const;
export type Depth = (typeof depths)[number];

/** What the size and risk of a change are judged by. */
export type SizeMeasure = {
  /** Files the change most likely touches. */
  predictedFiles: string[];
  /** Files that import one of them. */
  fanIn: number;
  /** Share of the predicted source files with at least one test around them, 0 to 1. */
  tested: number;
  /** Predicted files that outsiders depend on. */
  publicFiles: PublicSurface[];
  /** The first line asks for a change of wording alone; that is always `solo`. */
  wordingOnly?: boolean;
};

export type SizeRow = {
  measure: 'predicted files' | 'fan-in' | 'untested files' | 'public files';
  /** From this value on 1, 2 or 3 points. */
  points: readonly [one: number, two: number, three: number];
};

/** Item by item, the published table: each measure gives 0 to 3 points. */
export const sizeTable: readonly SizeRow[] = [
  { measure: 'predicted files', points: [3, 6, 12] },
  { measure: 'fan-in', points: [4, 12, 40] },
  { measure: 'untested files', points: [1, 3, 6] },
  { measure: 'public files', points: [1, 2, 5] },
];

/** The sum of points from which on a depth is proposed. */
export const depthTable: Readonly<Record<Depth, number>> = { solo: 0, quick: 2, regular: 5, wide: 9 };

export type SizeProposal = {
  depth: Depth;
  points: number;
  measure: SizeMeasure;
  /** One line per row of the table: what was measured and what it gave. */
  reasons: { measure: SizeRow['measure']; value: number; points: number }[];
};

const mostPredicted = 15;
/** When the description names files, others must be nearer to them than usual. */
const shareBesideNamed = 0.7;

/** The files a description most likely touches, tests and documents left out. */
export function predictFiles(index: RepositoryIndex, description: string): string[] {
  const ranked = rankFiles(index, description).filter(
    ({ kind }) => kind === 'source' || kind === 'configuration',
  );
  const share = ranked.some(({ signals }) => isNamed(signals)) ? shareBesideNamed : likelyShare;
  return coherentFiles(index, ranked, mostPredicted, share).map(({ path }) => path);
}

/** Matches requests that change wording alone: they cannot break code, whatever the files. */
const wordsMended =
  /\b(?:typos?|misspell\w*|(?:fix|correct|reword|rephrase|mend|improve|polish|tidy|clean up|update)\w*(?: (?:the|a|an|all|some|our|its|wrong|bad|stale|outdated|unclear|code))* (?:spelling|wording|grammar|comments?|whitespace|indentation)(?=$|[.,;:!]| (?:in|of|at|on|across|throughout|above|around)\b))/i;
const somethingBuilt =
  /\b(?:add|allow|build|create|detect|enable|implement|introduce|let|make|new|offer|show|stor(?:e|ed|ing)|support|write)\b/i;

export function measureSize(index: RepositoryIndex, description: string): SizeMeasure {
  const predictedFiles = predictFiles(index, description);
  const importers = new Set(predictedFiles.flatMap((path) => index.graph.importers.get(path) ?? []));
  const surface = publicSurface(index);
  const sources = predictedFiles.filter((path) => index.byPath.get(path)?.kind === 'source');
  const tested = sources.filter((path) => testNeighbours(path, index.graph, index.tests).length > 0);
  return {
    predictedFiles,
    fanIn: [...importers].filter((path) => !index.tests.tests.has(path)).length,
    tested: sources.length === 0 ? 1 : tested.length / sources.length,
    publicFiles: predictedFiles.flatMap((path) => surface.get(path) ?? []),
    wordingOnly: isWordingOnly(description.split('\n', 1)[0] ?? ''),
  };
}

function isWordingOnly(firstLine: string): boolean {
  return wordsMended.test(firstLine) && !somethingBuilt.test(firstLine);
}

/** The depth the table gives for a measure, with the reason of every point. */
export function proposeDepth(measure: SizeMeasure): SizeProposal {
  const values: Record<SizeRow['measure'], number> = {
    'predicted files': measure.predictedFiles.length,
    'fan-in': measure.fanIn,
    'untested files': Math.round(measure.predictedFiles.length * (1 - measure.tested)),
    'public files': measure.publicFiles.length,
  };
  const reasons = sizeTable.map(({ measure: name, points }) => ({
    measure: name,
    value: values[name],
    points: points.filter((threshold) => values[name] >= threshold).length,
  }));
  const points = reasons.reduce((sum, reason) => sum + reason.points, 0);
  const byPoints = depths.findLast((candidate) => points >= depthTable[candidate]) ?? 'solo';
  const depth = measure.wordingOnly ? 'solo' : byPoints;
  return { depth, points, measure, reasons };
}

/** A file outsiders depend on, and how we know. */
export type PublicSurface = { path: string; why: string };

const routeRule =
  /\b(?:router|app|server|route|api)\.(?:add|get|post|put|patch|delete|route|all)\(\s*['"`][A-Z/]/;

/** The files that are the outside of the repository: package entries, executables, HTTP routes, schemas of interfaces. */
export function publicSurface(index: RepositoryIndex): Map<string, PublicSurface> {
  const found = new Map<string, PublicSurface>();
  const add = (path: string, why: string) => {
    if (index.byPath.has(path) && !found.has(path)) found.set(path, { path, why });
  };
  for (const { path, file, kind } of index.files) {
    if (/(?:^|\/)package\.json$/.test(path)) {
      for (const entry of packageEntries(file.text))
        add(sourceOf(index, joinPath(folder(path), entry)), `entry of ${path}`);
    }
    if (kind === 'source' && routeRule.test(file.text)) add(path, 'declares HTTP routes');
    if (/\.(?:proto|graphql|graphqls)$|(?:^|\/)openapi\.(?:ya?ml|json)$/.test(path))
      add(path, 'describes an interface');
  }
  return found;
}

const folder = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

function packageEntries(text: string): string[] {
  const reading = readJson(text);
  if (!reading.ok || !isRecord(reading.value)) return [];
  const { main, module, types, bin, exports } = reading.value;
  return [main, module, types, bin, exports].flatMap(stringsIn).filter((entry) => !entry.includes('*'));
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return isRecord(value) ? Object.values(value).flatMap(stringsIn) : [];
}

/** The source behind a built entry: `dist/index.js` is most often `src/index.ts`. */
function sourceOf(index: RepositoryIndex, entry: string): string {
  const bare = entry.replace(/(?:\.d)?\.[cm]?[jt]sx?$/, '');
  const places = [bare, bare.replace(/(^|\/)(?:dist|lib|build|out)\//, '$1src/')];
  const tries = [
    entry,
    ...places.flatMap((place) => ['.ts', '.tsx', '.mts', '.js', '.mjs'].map((end) => place + end)),
  ];
  return tries.find((path) => index.byPath.has(path)) ?? entry;
}

/** Files whose score is at least this share of the best one are likely to change. */
export const likelyShare = 0.55;

/** Whether the description names the file. */
export const isNamed = (signals: readonly Signal[]): boolean =>
  signals.some(({ signal }) => signal === 'named');

/** The best files that hang together: each further one is named, or linked to one already taken by import, folder or history. */
export function coherentFiles(
  index: RepositoryIndex,
  ranked: readonly RankedFile[],
  most: number,
  share = likelyShare,
): RankedFile[] {
  const best = ranked[0]?.score ?? 0;
  const taken: RankedFile[] = [];
  for (const file of ranked) {
    if (taken.length >= most) break;
    const named = isNamed(file.signals);
    if (file.score < best * share && !named) continue;
    if (taken.length === 0 || named || taken.some((other) => linked(index, file.path, other.path)))
      taken.push(file);
  }
  return taken;
}

function linked(index: RepositoryIndex, a: string, b: string): boolean {
  const { imports } = index.graph;
  if (imports.get(a)?.includes(b) || imports.get(b)?.includes(a)) return true;
  if (folderOf(a) === folderOf(b) && folderOf(a) !== '') return true;
  return coChanges(index.history, a, 20).some(({ path, together }) => path === b && together > 1);
}
