import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { rewriteFileAtomic } from '../../base/files/atomic.ts';
import { containedPath, readTextFile } from '../../base/files/bounded.ts';
import { isRecord, parseJson, readJson } from '../../base/safe-json.ts';
import { readAs } from '../../base/schema/primitives.ts';
import { expandPath, type PhaseAnswer } from './phase-call.ts';
import type { RunPhase } from './run-plan.ts';

/** The schema of one output, as the package ships it. */
export type OutputSchema = { source: string; schema: Readonly<Record<string, unknown>> };

/** By name. */
export type OutputSchemas = ReadonlyMap<string, OutputSchema>;

const maxBytes = 1024 * 1024;
const maxProblems = 5;

/** The schemas of a package: `schemas/NAME.schema.json` is that of the value `NAME` and of files called `NAME.json`. */
export async function readOutputSchemas(directory: string): Promise<OutputSchemas> {
  const folder = path.join(directory, 'schemas');
  const schemas = new Map<string, OutputSchema>();
  if (!existsSync(folder)) return schemas;
  for (const file of readdirSync(folder).sort()) {
    const name = /^(.+)\.schema\.json$/.exec(file)?.[1];
    if (name === undefined) continue;
    const source = `schemas/${file}`;
    const schema = parseJson(
      (await readTextFile(await containedPath(directory, source), maxBytes)) ?? '',
      source,
    );
    if (!isRecord(schema)) throw unusable(source, 'it is not an object');
    schemas.set(name, { source, schema });
  }
  return schemas;
}

/** The schema of an output file is found by its base name. */
export function schemaOfFile(schemas: OutputSchemas, file: string): OutputSchema | undefined {
  return file.endsWith('.json') ? schemas.get(path.posix.basename(file, '.json')) : undefined;
}

/** Why a value does not fit its schema; each problem names the output and the place in it. */
async function schemaProblems(
  output: string,
  value: unknown,
  { source, schema }: OutputSchema,
): Promise<string[]> {
  const { fromJSONSchema } = await import('zod');
  let checker: ReturnType<typeof fromJSONSchema>;
  try {
    checker = fromJSONSchema(schema);
  } catch (error) {
    throw unusable(source, error instanceof Error ? error.message : String(error));
  }
  const reading = readAs(checker, value);
  if (reading.ok) return [];
  return reading.problems
    .slice(0, maxProblems)
    .map(
      ({ path: keys, words }) =>
        `The output ${output} does not fit ${source}: ${keys.map((key) => `/${String(key)}`).join('')} ${words}.`,
    );
}

function unusable(source: string, reason: string): CharretteError {
  return new CharretteError({
    code: 'json-invalid',
    message: `The output schema ${source} cannot be used: ${reason}.`,
    fix: 'Correct the schema, or remove it so that the output only has to exist.',
  });
}

/** Writes the declared files of an answer, inside the project only, and names outputs that are missing, empty or ill-formed. */
export async function checkOutputs(
  project: string,
  phase: RunPhase,
  answer: PhaseAnswer,
  earlier: Readonly<Record<string, unknown>>,
  schemas: OutputSchemas,
): Promise<string[]> {
  const problems: string[] = [];
  for (const name of phase.variables) {
    const schema = schemas.get(name);
    const value = answer.outputs[name];
    if (schema !== undefined && value !== undefined)
      problems.push(...(await schemaProblems(name, value, schema)));
  }
  const values = { ...earlier, ...answer.outputs };
  for (const file of phase.files) {
    const expanded = expandPath(file, values);
    if (expanded === undefined) {
      problems.push(`The path of the output file ${file} has a part without a value.`);
      continue;
    }
    if (expanded.includes('*')) {
      problems.push(...(await patternProblems(project, expanded)));
      continue;
    }
    const target = await containedPath(project, expanded);
    const content = answer.files[expanded] ?? answer.files[file];
    if (content !== undefined) await rewriteFileAtomic(target, content);
    problems.push(...(await fileProblems(target, expanded, schemaOfFile(schemas, expanded))));
  }
  return problems;
}

/** A pattern needs at least one file; only folders below its fixed part are searched. */
async function patternProblems(project: string, pattern: string): Promise<string[]> {
  const fixed = pattern.slice(0, pattern.lastIndexOf('/', pattern.indexOf('*')) + 1);
  const folder = await containedPath(project, fixed === '' ? '.' : fixed);
  const rest = pattern.slice(fixed.length);
  const found = !rest.split('/').includes('..') && globSync(rest, { cwd: folder }).length > 0;
  return found ? [] : [`No output file fits ${pattern}.`];
}

async function fileProblems(
  target: string,
  name: string,
  schema: OutputSchema | undefined,
): Promise<string[]> {
  const found = statSync(target, { throwIfNoEntry: false });
  if (found === undefined) return [`The output file ${name} is missing.`];
  if (!found.isFile()) return [];
  if (found.size === 0) return [`The output file ${name} is empty.`];
  if (schema === undefined) return [];
  const reading = readJson(readFileSync(target, 'utf8'));
  if (!reading.ok) return [`The output file ${name} is not JSON: ${reading.message}.`];
  return schemaProblems(name, reading.value, schema);
}
