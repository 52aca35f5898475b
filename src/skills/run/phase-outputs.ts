import { globSync, readFileSync, statSync } from 'node:fs';
import { rewriteFileAtomic } from '../../base/files/atomic.ts';
import { containedPath } from '../../base/files/contained.ts';
import { readJson } from '../../base/safe-json.ts';
import { type OutputSchema, schemaOfFile, schemaProblems } from './output-schema.ts';
import { expandPath, type PhaseAnswer } from './phase-call.ts';
import type { RunPhase } from './run-plan.ts';

/** Writes the declared files that came with an answer, inside the project only, and says which outputs are missing, empty or ill-formed. */
export async function checkOutputs(
  project: string,
  phase: RunPhase,
  answer: PhaseAnswer,
  earlier: Readonly<Record<string, unknown>>,
  schemas: ReadonlyMap<string, OutputSchema>,
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

/** A pattern stands for at least one file; only its fixed part is looked below. */
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
