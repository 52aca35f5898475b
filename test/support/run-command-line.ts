import { Readable, Writable } from 'node:stream';
import { runProgram } from '../../src/cli/program.ts';

/** Runs one command line in this process, without a terminal, and collects what it printed. */
export async function runCommandLine(...words: string[]) {
  return run(words, false);
}

/** The same with a terminal for its results, 80 columns wide. */
export async function runOnTerminal(...words: string[]) {
  return run(words, true);
}

async function run(words: readonly string[], isTTY: boolean) {
  const written = { out: '', err: '' };
  const sink = (key: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        written[key] += String(chunk);
        done();
      },
    });
  const stdout = Object.assign(sink('out'), isTTY ? { isTTY, columns: 80 } : { isTTY });
  const terminal = { stdin: Readable.from([]), stdout, stderr: sink('err'), env: {} };
  const exit = await runProgram(words, terminal);
  return { exit, ...written };
}
