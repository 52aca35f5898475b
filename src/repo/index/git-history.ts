import { readGit } from './read-git.ts';
import type { HistoryCommit } from './snapshot.ts';

const commitMark = '\x01';
/** Below the root of a repository only files of that folder count, under their names there. */
const format = ['--relative', '--no-renames', '--name-only', '-z', '--format=%x01%H%x00%ct%x00%B%x00'];

/** The commits up to `commit`, newest first, merges left out. What `known` has is not read again. */
export async function readHistory(
  directory: string,
  commit: string,
  limit: number,
  known: Map<string, HistoryCommit> = new Map(),
): Promise<HistoryCommit[]> {
  const output = await readGit(directory, [
    'rev-list',
    '--no-merges',
    `--max-count=${limit}`,
    '--end-of-options',
    commit,
  ]);
  const ids = output.split('\n').filter(Boolean);
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length > 0) {
    const text = await readGit(directory, ['log', '--no-walk=unsorted', ...format, '--stdin'], {
      input: `${missing.join('\n')}\n`,
    });
    for (const entry of parseLog(text)) known.set(entry.id, entry);
  }
  return ids.flatMap((id) => known.get(id) ?? []);
}

function parseLog(text: string): HistoryCommit[] {
  return text.split(commitMark).flatMap((block) => {
    const [id = '', time = '', message = '', ...names] = block.split('\0');
    if (!/^[0-9a-f]{40,64}$/.test(id)) return [];
    const files = names.map((name) => name.replace(/^\n+/, '')).filter((name) => name !== '');
    return [{ id, time: Number(time), message: message.trim().slice(0, 4000), files }];
  });
}
