import { z } from 'zod';
import type { JsonSchema } from '../../agents/port.ts';
import { isRecord } from '../../base/safe-json.ts';
import { problemLine, readAs } from '../../base/schema/primitives.ts';

/** Names by which a schema makes the checker run an expression that the script wrote (W-146). */
const patternKeys = ['pattern', 'patternProperties', 'propertyNames', 'format'];

/**
 * Checks answers against the JSON Schema of a script. Patterns are not checked: an untrusted expression could keep this process
 * busy for ever. Throws for a schema that contradicts itself or cannot be read (W-013).
 */
export function schemaChecker(schema: JsonSchema): (value: unknown) => string[] {
  const { type } = schema;
  if (type !== undefined && type !== 'object')
    throw new Error(`The schema of an agent call describes an object, not ${JSON.stringify(type)}.`);
  const contradiction = contradictionIn(schema, 'schema');
  if (contradiction !== undefined) throw new Error(contradiction);
  const parsed = z.fromJSONSchema(withoutPatterns(schema) as Parameters<typeof z.fromJSONSchema>[0]);
  return (value) => {
    const reading = readAs(parsed, value);
    return reading.ok ? [] : reading.problems.slice(0, 20).map((each) => problemLine(each, 'the answer'));
  };
}

function withoutPatterns(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPatterns);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => {
      if (key === 'properties' && isRecord(part))
        return [
          [
            key,
            Object.fromEntries(Object.entries(part).map(([name, each]) => [name, withoutPatterns(each)])),
          ],
        ];
      return patternKeys.includes(key) ? [] : [[key, withoutPatterns(part)]];
    }),
  );
}

function contradictionIn(schema: Readonly<Record<string, unknown>>, place: string): string | undefined {
  const pairs = [
    ['minItems', 'maxItems'],
    ['minLength', 'maxLength'],
    ['minimum', 'maximum'],
    ['minProperties', 'maxProperties'],
  ] as const;
  for (const [low, high] of pairs) {
    const [least, most] = [schema[low], schema[high]];
    if (typeof least === 'number' && typeof most === 'number' && least > most)
      return `The schema contradicts itself at ${place}: ${low} ${least} is more than ${high} ${most}.`;
  }
  const { properties, required, additionalProperties } = schema;
  if (additionalProperties === false && Array.isArray(required)) {
    const missing = required.find(
      (name) => !isRecord(properties) || !Object.hasOwn(properties, String(name)),
    );
    if (missing !== undefined)
      return `The schema contradicts itself at ${place}: ${JSON.stringify(missing)} is required and not allowed.`;
  }
  const parts = isRecord(properties) ? Object.entries(properties) : [];
  const { items } = schema;
  const all = [
    ...parts.map(([name, part]) => [`${place}.${name}`, part] as const),
    [`${place}[]`, items] as const,
  ];
  for (const [where, part] of all) {
    const found = isRecord(part) ? contradictionIn(part, where) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
