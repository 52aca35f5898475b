import { coChanges } from './change-history.ts';
import { folderOf } from './import-graph.ts';
import type { RankedFile, Signal } from './rank-files.ts';
import type { RepositoryIndex } from './repository-index.ts';

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
