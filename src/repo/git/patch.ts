import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeCommit } from './checkout.ts';
import { type GitOptions, gitLine, gitOutput, splitNul } from './run-git.ts';

/** What a change does to one file. `oldPath` differs after a rename; `text` is its part of the patch. */
export type FilePatch = { path: string; oldPath: string; text: string };

/** A hunk in both versions, with the lines that it adds (numbers of the new version) and deletes (of the old one). */
export type Hunk = {
  oldStart: number;
  oldEnd: number;
  newStart: number;
  newEnd: number;
  added: number[];
  deleted: number[];
  /** Lines of the new version next to deleted ones. */
  beside: number[];
};

/** Settings of the user's git change no byte of a patch. */
const plain = [
  '--no-ext-diff',
  '--no-textconv',
  // Attributes of the branch would choose what is shown.
  '--text',
  '--no-color',
  '--relative',
  '--find-renames',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--submodule=short',
  '--ignore-submodules=none',
  '--diff-algorithm=myers',
  '--inter-hunk-context=0',
  '-O/dev/null',
];

/** The files of a directory (a repository, or a package in it) that differ between two commits, each with its patch. */
export async function patchesBetween(
  directory: string,
  base: string,
  head: string,
  git: GitOptions = {},
): Promise<FilePatch[]> {
  const names = splitNul(await gitOutput(directory, ['diff', ...plain, '--raw', '-z', base, head], git));
  const patch = await gitOutput(directory, ['diff', ...plain, '--unified=5', base, head], {
    maximumBytes: 256 * 1024 * 1024,
    ...git,
  });
  // Only \n ends a line of git; `^` would also match after other line ends, which a file may have anywhere.
  const sections = patch.split(/(?<=^|\n)(?=diff --git )/).filter((text) => text !== '');
  const files: FilePatch[] = [];
  for (let at = 0; at < names.length; ) {
    const status = names[at]?.split(' ').at(-1) ?? '';
    const isMoved = /^[RC]/.test(status);
    const oldPath = names[at + 1] ?? '';
    const newPath = isMoved ? (names[at + 2] ?? '') : oldPath;
    at += isMoved ? 3 : 2;
    // A file that becomes a link is deleted and made: two parts of the patch.
    const parts = sections.splice(0, status === 'T' ? 2 : 1);
    if (parts.length === 0) throw new Error(`The difference has no part for ${newPath}.`);
    files.push({ path: newPath, oldPath, text: parts.join('') });
  }
  if (sections.length > 0) throw new Error('The difference has parts that belong to no file.');
  return files;
}

/** The hunks of a file's patch. */
export function hunksOf(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  let [oldLine, newLine, oldEnd, newEnd] = [0, 0, 0, 0];
  for (const line of patch.split('\n')) {
    const hunk = hunks.at(-1);
    const isOpen = hunk !== undefined && (oldLine <= oldEnd || newLine <= newEnd);
    const [, oldStart, oldCount = '1', newStart, newCount = '1'] =
      /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (!isOpen && oldStart !== undefined) {
      [oldLine, newLine] = [Number(oldStart), Number(newStart)];
      [oldEnd, newEnd] = [oldLine + Number(oldCount) - 1, newLine + Number(newCount) - 1];
      hunks.push({
        ...{ oldStart: oldLine, oldEnd, newStart: newLine, newEnd },
        ...{ added: [], deleted: [], beside: [] },
      });
    } else if (isOpen && line.startsWith('+')) hunk.added.push(newLine++);
    else if (isOpen && line.startsWith('-')) {
      hunk.deleted.push(oldLine++);
      hunk.beside.push(newLine - 1, newLine);
    } else if (isOpen && !line.startsWith('\\')) [oldLine, newLine] = [oldLine + 1, newLine + 1];
  }
  return hunks;
}

/** The same tree makes the same commit, whenever it is written. */
const noTime = { GIT_AUTHOR_DATE: '@0 +0000', GIT_COMMITTER_DATE: '@0 +0000' };

/** A commit of the index, or of the whole working tree with its untracked files; no branch and no index changes. */
export async function commitOfTree(
  directory: string,
  what: 'staged' | 'uncommitted',
  head: string,
): Promise<string> {
  const commit = async (options: GitOptions) => {
    const git = { ...options, environment: { ...process.env, ...noTime } };
    const tree = await gitLine(directory, ['write-tree'], git);
    return writeCommit(directory, { tree, parents: [head], message: `What is ${what}\n` }, git);
  };
  if (what === 'staged') return commit({});
  const folder = await mkdtemp(path.join(tmpdir(), 'charrette-index-'));
  try {
    const git = { index: path.join(folder, 'index') };
    await gitOutput(directory, ['read-tree', head], git);
    await gitOutput(directory, ['add', '--all', '--', '.', ':(exclude).charrette'], git);
    return await commit(git);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
