import { coherentFiles, isNamed, likelyShare } from './coherent-files.ts';
import type { PublicSurface } from './public-api.ts';
import { publicSurface } from './public-api.ts';
import { rankFiles } from './rank-files.ts';
import type { RepositoryIndex } from './repository-index.ts';
import { testNeighbours } from './test-neighbours.ts';

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

/** Changes of wording alone: whatever the files, nothing can break. What is mended are words, and nothing else is asked for. */
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
