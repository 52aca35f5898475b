import { type QueryTerm, scoreDocuments } from './bm25.ts';
import type { RepositoryIndex } from './repository-index.ts';
import type { HistoryCommit } from './snapshot.ts';

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
