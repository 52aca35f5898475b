import { type QueryTerm, scoreDocuments } from './bm25.ts';
import type { RepositoryIndex } from './repository-index.ts';
import type { HistoryCommit } from './snapshot.ts';

/** A commit that touches more files than this (a rename, a format) says nothing about what belongs together. */
export const bulkCommitFiles = 30;

export type ChangeHistory = {
  /** The commits that are not bulk, newest first. */
  commits: readonly HistoryCommit[];
  /** For each path the positions in `commits` of those that touched it, newest first. */
  touches: ReadonlyMap<string, readonly number[]>;
};

export function buildChangeHistory(commits: readonly HistoryCommit[]): ChangeHistory {
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
