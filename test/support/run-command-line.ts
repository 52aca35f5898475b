import { Readable, Writable } from 'node:stream';
import { runProgram } from '../../src/main/program.ts';

/** Runs one command line in this process, without a terminal, and collects what it printed. */
export async function runCommandLine(...words: string[]) {
  return run(words, {});
}

/** The same with these variables and no others. */
export async function runWith(env: NodeJS.ProcessEnv, ...words: string[]) {
  return run(words, {}, env);
}

/** The same with a terminal for its results, 80 columns wide. */
export async function runOnTerminal(...words: string[]) {
  return run(words, { stdout: true });
}

/** The same with a terminal for everything but its results, which go to a file or a pipe. */
export async function runIntoFile(...words: string[]) {
  return run(words, { stderr: true });
}

async function run(
  words: readonly string[],
  isTerminal: { stdout?: true; stderr?: true },
  env: NodeJS.ProcessEnv = {},
) {
  const written = { out: '', err: '' };
  const sink = (key: 'out' | 'err', isTTY = false) => {
    const stream = new Writable({
      write(chunk, _encoding, done) {
        written[key] += String(chunk);
        done();
      },
    });
    return Object.assign(stream, isTTY ? { isTTY, columns: 80 } : { isTTY });
  };
  const stdout = sink('out', isTerminal.stdout);
  const terminal = { stdin: Readable.from([]), stdout, stderr: sink('err', isTerminal.stderr), env };
  const exit = await runProgram(words, terminal);
  return { exit, ...written };
}
