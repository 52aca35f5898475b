import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { containedPath } from '../../base/files/contained.ts';
import { isRecord, parseJson } from '../../base/safe-json.ts';
import { readAs } from '../../base/schema/issue-words.ts';

/** The schema of one output, as the package ships it. */
export type OutputSchema = { source: string; schema: Readonly<Record<string, unknown>> };

const largest = 1024 * 1024;
const mostProblems = 5;

/** The schemas of a package: `schemas/NAME.schema.json` is that of the value `NAME` and of files called `NAME.json`. */
export async function readOutputSchemas(directory: string): Promise<ReadonlyMap<string, OutputSchema>> {
  const folder = path.join(directory, 'schemas');
  const schemas = new Map<string, OutputSchema>();
  if (!existsSync(folder)) return schemas;
  for (const file of readdirSync(folder).sort()) {
    const name = /^(.+)\.schema\.json$/.exec(file)?.[1];
    if (name === undefined) continue;
    const source = `schemas/${file}`;
    const schema = parseJson(
      (await readTextFile(await containedPath(directory, source), largest)) ?? '',
      source,
    );
    if (!isRecord(schema)) throw unusable(source, 'it is not an object');
    schemas.set(name, { source, schema });
  }
  return schemas;
}

/** The schema of an output file is found by its base name. */
export function schemaOfFile(
  schemas: ReadonlyMap<string, OutputSchema>,
  file: string,
): OutputSchema | undefined {
  return file.endsWith('.json') ? schemas.get(path.posix.basename(file, '.json')) : undefined;
}

/** What of a value does not fit; each problem names the output and the place in it. */
export async function schemaProblems(
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
    .slice(0, mostProblems)
    .map(
      ({ path: keys, words }) =>
        `The output ${output} does not fit ${source}: ${keys.map((key) => `/${String(key)}`).join('')} ${words}.`,
    );
}

function unusable(source: string, reason: string): CharretteError {
  return new CharretteError({
    code: 'json-invalid',
    message: `The output schema ${source} cannot be used: ${reason}.`,
    fix: 'Correct the schema, or remove it so that the output is only checked for being there.',
  });
}
