import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** What git says about a directory, without running anything of the repository or locking it; `undefined` where it knows nothing. */
export async function askGit(directory: string, words: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await execute('git', ['-C', directory, '-c', 'core.fsmonitor=', ...words], {
      maxBuffer: 256 * 1024 * 1024,
      env: { PATH: process.env['PATH'], GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
    });
    return stdout;
  } catch {
    return undefined;
  }
}
