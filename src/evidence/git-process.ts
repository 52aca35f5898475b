import { spawn } from 'node:child_process';
import { CharretteError } from '../errors.ts';

/** Only what git needs; no variable of the caller can point it at another repository. */
function gitEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, SystemRoot, TMPDIR } = process.env;
  return {
    PATH,
    HOME,
    SystemRoot,
    TMPDIR,
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
  };
}

export type GitOptions = { input?: string; maximumBytes?: number; signal?: AbortSignal };

const defaultMaximum = 512 * 1024 * 1024;

/** Runs git without a shell and without what a repository could bring of its own; gives its output as bytes. */
export async function runGit(
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await streamGit(directory, args, (chunk) => chunks.push(chunk), options);
  return Buffer.concat(chunks);
}

/** The same, handing out the output as it comes, so that much of it needs little memory. */
export function streamGit(
  directory: string,
  args: readonly string[],
  onChunk: (chunk: Buffer) => void,
  { input, maximumBytes = defaultMaximum, signal }: GitOptions = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      'git',
      ['--no-pager', '--no-replace-objects', '-c', 'core.fsmonitor=false', ...args],
      {
        cwd: directory,
        env: gitEnvironment(),
        stdio: ['pipe', 'pipe', 'pipe'],
        ...(signal === undefined ? {} : { signal }),
      },
    );
    let [size, complaint] = [0, ''];
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maximumBytes) child.kill('SIGKILL');
      else onChunk(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < 4000) complaint += chunk.toString('utf8');
    });
    child.on('error', (error) => reject(signal?.aborted ? error : gitFailed(args, error.message)));
    child.on('close', (code) => {
      if (size > maximumBytes) reject(gitFailed(args, `more than ${maximumBytes} bytes of output`));
      else if (code === 0) resolve();
      else reject(gitFailed(args, complaint.trim() || `exit code ${code}`));
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
  });
}

function gitFailed(args: readonly string[], reason: string): CharretteError {
  const missing = /not a git repository/i.test(reason);
  return new CharretteError({
    code: missing ? 'not-a-repository' : 'not-found',
    message: `git ${args[0] ?? ''} failed: ${reason.slice(0, 500)}`,
    fix: missing ? 'Run the command inside a git repository.' : 'Check that the commit exists in this clone.',
  });
}
