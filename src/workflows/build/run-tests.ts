import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findOnPath } from '../../agents/detect.ts';
import { childEnvironment } from '../../agents/process/environment.ts';
import { runProcess } from '../../agents/run-process.ts';
import { thisWorld } from '../../agents/settings.ts';
import { detectTestCommand, type TestCommand } from './rules/test-command.ts';
import type { TestOutcome } from './rules/verdict.ts';

export type TestRun = { command: TestCommand | null; outcome: TestOutcome; output: string };

/** P-155 */
const testLimitMs = 300_000;
const outputLimit = 3000;

/** Runs the tests of a checkout with a HOME of their own; a checkout that names no command is unknown, not passed. */
export async function runTests(
  directory: string,
  laneDirectory: string,
  signal: AbortSignal,
): Promise<TestRun> {
  const command = detectTestCommand((name) => {
    const file = path.join(directory, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  });
  if (command === undefined) return { command: null, outcome: 'UNKNOWN', output: '' };
  const world = thisWorld();
  const program = findOnPath(command.argv[0] ?? '', world);
  if (program === undefined)
    return { command, outcome: 'UNKNOWN', output: `${command.argv[0]} is not on PATH.` };
  const home = path.join(laneDirectory, 'home');
  mkdirSync(path.join(home, 'tmp'), { recursive: true });
  let output = '';
  const exit = await runProcess({
    argv: [program, ...command.argv.slice(1)],
    directory,
    environment: childEnvironment(world, home, { CI: '1' }),
    input: '',
    laneDirectory,
    limits: { wallMs: testLimitMs, idleMs: testLimitMs },
    signal,
    onLine: (line) => {
      output = `${output}${line}\n`.slice(-2 * outputLimit);
      return undefined;
    },
  });
  signal.throwIfAborted();
  const passed = exit.code === 0 && exit.ended === undefined;
  const ended = exit.ended === undefined ? '' : `\nended: ${exit.ended}`;
  return {
    command,
    outcome: passed ? 'PASS' : 'FAIL',
    output: `${output}${exit.stderr}${ended}`.slice(-outputLimit),
  };
}
