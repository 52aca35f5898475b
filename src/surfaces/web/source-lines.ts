import { CharretteError } from '../../base/errors.ts';
import { runGit } from '../../repo/git/run-git.ts';

/** A cited place in the repository. */
export type CitedLines = { path: string; line: number; endLine: number };

/** Lines of a file as they were at a commit, with some around the cited ones. */
export type SourceLines = {
  path: string;
  commit: string;
  /** Number of the first line of `lines`. */
  from: number;
  lines: string[];
  cited: { from: number; to: number };
  total: number;
};

const around = 6;
const mostLines = 400;

/** Opens cited lines at the base commit. Only what is in that commit can be read, whatever the path says. */
export async function readSourceLines(
  project: string,
  commit: string | undefined,
  place: CitedLines,
): Promise<SourceLines> {
  if (commit === undefined || !/^[0-9a-f]{7,64}$/.test(commit))
    throw new CharretteError({ code: 'not-found', message: 'The run has no base commit to open lines at.' });
  return linesAround(await readAtCommit(project, commit, place.path), commit, place);
}

/** The lines of a file at a commit. */
export async function readAtCommit(project: string, commit: string, path: string): Promise<string[]> {
  if (!isPlainPath(path))
    throw new CharretteError({
      code: 'path-unsafe',
      message: `${JSON.stringify(path)} is not a path inside the repository.`,
    });
  const limits = { maximumBytes: 8 * 1024 * 1024, timeoutMs: 10_000 };
  const result = await runGit(project, ['cat-file', 'blob', `${commit}:${path}`], limits);
  if (result.code !== 0)
    throw new CharretteError({ code: 'not-found', message: `${path} is not in ${commit.slice(0, 12)}.` });
  const lines = result.stdout.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

export function linesAround(all: readonly string[], commit: string, place: CitedLines): SourceLines {
  const { path, line, endLine } = place;
  if (line > all.length)
    throw new CharretteError({
      code: 'not-found',
      message: `${path} has ${all.length} lines at ${commit.slice(0, 12)}; line ${line} does not exist.`,
    });
  const last = Math.min(Math.max(line, endLine), all.length, line + mostLines);
  const from = Math.max(1, line - around);
  return {
    path,
    commit,
    from,
    lines: all.slice(from - 1, last + around).map((text) => text.slice(0, 2000)),
    cited: { from: line, to: last },
    total: all.length,
  };
}

function isPlainPath(path: string): boolean {
  return (
    path !== '' &&
    path.length <= 1024 &&
    !/[\0-\x1f\\:]/.test(path) &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  );
}
