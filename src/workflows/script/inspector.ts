import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CharretteError } from '../../base/errors.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import type { Inspection, Problem } from './inspect.ts';

/** W-172: the largest workflow file. */
export const maxScriptBytes = 1024 * 1024;

const limitMs = 30_000;

/** A program of the workflow runner: next to this file in the sources, one or two folders up in the bundle. */
export function programFile(name: string): string {
  const built = [`${name}.js`, `${name}.mjs`].flatMap((file) => [`./${file}`, `../${file}`]);
  const places = import.meta.url.endsWith('.ts') ? [`./${name}.ts`] : built;
  const found = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  if (found !== undefined) return found;
  throw new CharretteError({ code: 'not-built', message: `The program ${name} is missing.` });
}

/** W-002: everything that can be known of a workflow file without running it. */
export function inspectScript(file: string, text: string): Inspection {
  if (Buffer.byteLength(text) > maxScriptBytes)
    throw new CharretteError({
      code: 'workflow-limit',
      message: `${file} has ${Buffer.byteLength(text)} bytes; a workflow file has at most ${maxScriptBytes}.`,
    });
  const { status, stdout } = spawnSync(process.execPath, ['--no-warnings', programFile('inspect-program')], {
    input: JSON.stringify({ file, text }),
    env: {},
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024 * 1024,
  });
  const reading = readJson(stdout ?? '', 64 * 1024 * 1024);
  if (status === 0 && reading.ok && isRecord(reading.value)) return reading.value as unknown as Inspection;
  throw new CharretteError({
    code: 'workflow-syntax',
    message: `${file} cannot be parsed: the parser ended without an answer.`,
  });
}

/** The file as it may run; throws what is wrong with it. */
export function requireRunnable(file: string, text: string): Inspection & Required<Pick<Inspection, 'meta'>> {
  const inspection = inspectScript(file, text);
  const [worst] = inspection.problems.filter(({ kind }) => kind !== 'warning');
  if (worst !== undefined) throw problemError(file, worst);
  const { meta } = inspection;
  if (meta === undefined)
    throw new CharretteError({ code: 'workflow-meta', message: `${file} has no meta.` });
  return { ...inspection, meta };
}

/** W-170: file, line and column, the line with a mark below. */
export function problemText(file: string, { message, line, column, source }: Problem): string {
  const mark = source === '' ? '' : `\n  ${source}\n  ${' '.repeat(column - 1)}^`;
  return `${file}:${line}:${column}: ${message}${mark}`;
}

function problemError(file: string, problem: Problem): CharretteError {
  const code = problem.kind === 'warning' ? 'workflow-syntax' : (`workflow-${problem.kind}` as const);
  return new CharretteError({ code, message: problemText(file, problem) });
}

export function digestOf(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}
