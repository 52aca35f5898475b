import { Readable, Writable } from 'node:stream';
import { runProgram } from '../../src/cli/program.ts';

/** Runs one command line in this process, without a terminal, and collects what it printed. */
export async function runCommandLine(...words: string[]) {
  const written = { out: '', err: '' };
  const sink = (key: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        written[key] += String(chunk);
        done();
      },
    });
  const terminal = { stdin: Readable.from([]), stdout: sink('out'), stderr: sink('err'), env: {} };
  const exit = await runProgram(words, terminal);
  return { exit, ...written };
}
