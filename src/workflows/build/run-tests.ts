import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findOnPath } from '../../agents/registry.ts';
import { runProcess } from '../../agents/run-process.ts';
import { childEnvironment, thisWorld } from '../../agents/settings.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import type { TestOutcome } from './rules/verdict.ts';

export type TestCommand = { argv: string[]; framework: string };

/** P-155: how this repository runs its tests; `read` gives the text of a file at its top, or nothing. */
export function detectTestCommand(read: (name: string) => string | undefined): TestCommand | undefined {
  const manifest = readJson(read('package.json') ?? '');
  const scripts = manifest.ok && isRecord(manifest.value) ? manifest.value['scripts'] : undefined;
  if (isRecord(scripts)) {
    const script = ['test', 'test:unit'].find(
      (name) => typeof scripts[name] === 'string' && !/no test specified/.test(scripts[name]),
    );
    if (script === 'test') return { argv: ['npm', 'test', '--silent'], framework: 'npm' };
    if (script !== undefined) return { argv: ['npm', 'run', '--silent', script], framework: 'npm' };
  }
  const known: readonly [file: string, argv: string[], framework: string][] = [
    ['pyproject.toml', ['python', '-m', 'pytest', '-q'], 'pytest'],
    ['Cargo.toml', ['cargo', 'test', '--quiet'], 'cargo'],
    ['go.mod', ['go', 'test', './...'], 'go'],
  ];
  const found = known.find(([file]) => read(file) !== undefined);
  return found === undefined ? undefined : { argv: found[1], framework: found[2] };
}

export type TestRun = { command: TestCommand | null; outcome: TestOutcome; output: string };

/** P-155 */
const testLimitMs = 300_000;
const outputLimit = 3000;

/** Runs the tests of a checkout with a separate HOME; a checkout without a test command is unknown, not passed. */
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
