import { commitOf, isAncestor } from './repository-facts.ts';
import { gitLine, gitOutput, splitNul } from './run-git.ts';
import { probeTree } from './tree-probe.ts';

export type DriftedFile = { path: string; change: 'added' | 'modified' | 'deleted' | 'other' };

/** What happened since a base commit. */
export type Drift = {
  /** `same`; `ahead`: commits were added; `diverged`: the base is not an ancestor any more; `lost`: this clone does not have it. */
  relation: 'same' | 'ahead' | 'diverged' | 'lost';
  head: string | undefined;
  commits: number;
  /** Files of the directory that differ between the base and the working tree, committed or not; paths start there. */
  files: DriftedFile[];
};

/** Compares the working tree of a directory (a repository, or a package in it) with a base commit. */
export async function driftSince(directory: string, base: string): Promise<Drift> {
  const [known, head] = [await commitOf(directory, base), await commitOf(directory, 'HEAD')];
  // A git failure is an error, not a lost commit.
  if (head === undefined) await gitOutput(directory, ['rev-parse', '--git-dir']);
  if (known === undefined || head === undefined) return { relation: 'lost', head, commits: 0, files: [] };
  const files = await changedFiles(directory, known);
  if (known === head) return { relation: 'same', head, commits: 0, files };
  const ancestor = await isAncestor(directory, known, head);
  const commits = Number(await gitOutput(directory, ['rev-list', '--count', `${known}..${head}`]));
  return { relation: ancestor ? 'ahead' : 'diverged', head, commits, files };
}

/** The drifted files that a plan wants to touch; they matter before it runs. */
export function driftOfPlan(drift: Drift, planned: readonly string[]): DriftedFile[] {
  const wanted = new Set(planned);
  return drift.files.filter(({ path }) => wanted.has(path));
}

async function changedFiles(directory: string, base: string): Promise<DriftedFile[]> {
  const flags = ['--relative', '--name-status', '-z', '--no-renames', '--no-ext-diff'];
  const parts = splitNul(await gitOutput(directory, ['diff', ...flags, base]));
  const tracked = parts.flatMap((status, index) =>
    index % 2 === 0 ? [{ path: parts[index + 1] ?? '', change: changeOf(status) }] : [],
  );
  const probe = await probeTree(directory, { mode: 'checkpoint' });
  const prefix = await gitLine(directory, ['rev-parse', '--show-prefix']);
  const untracked = probe.newUntracked
    .filter((path) => path.startsWith(prefix))
    .map((path) => ({ path: path.slice(prefix.length), change: 'added' as const }));
  return [...tracked, ...untracked].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function changeOf(status: string): DriftedFile['change'] {
  return ({ A: 'added', M: 'modified', D: 'deleted' } as const)[status[0] as 'A' | 'M' | 'D'] ?? 'other';
}
