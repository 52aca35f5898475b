import { Readable, Writable } from 'node:stream';
import { runProgram } from '../../src/main/program.ts';
import type { Places } from './stories.ts';

export type Printed = { exit: number; stdout: string; stderr: string };

/** Runs one command line of the program in this process, in the world of a story. */
export async function perform(words: readonly string[], { project }: Places): Promise<Printed> {
  const printed = { stdout: '', stderr: '' };
  const sink = (key: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _encoding, done) {
        printed[key] += String(chunk);
        done();
      },
    });
  const exit = await runProgram(['--cwd', project, ...words], {
    stdin: Readable.from([]),
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: process.env,
  });
  return { exit, ...printed };
}
