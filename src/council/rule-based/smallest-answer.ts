import { isRecord } from '../../base/safe-json.ts';
import { ruleBasedMark } from './wording.ts';

const maxDepth = 20;

/** W-166: the smallest value that fits a JSON Schema, so that a workflow file can be tried without a model. */
export function smallestAnswer(schema: unknown): unknown {
  return isRecord(schema) ? smallest(schema, 0) : `${ruleBasedMark}: no answer without a model.`;
}

function smallest(schema: Record<string, unknown>, depth: number): unknown {
  if (depth > maxDepth) return null;
  const { type, properties, required, items, minItems } = schema;
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const [choice] = [schema['oneOf'], schema['anyOf'], schema['allOf']].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  if (isRecord(choice)) return smallest(choice, depth + 1);
  const kind = Array.isArray(type) ? type[0] : (type ?? (isRecord(properties) ? 'object' : 'string'));
  if (kind === 'object') {
    const names = Array.isArray(required) ? required.map(String) : [];
    const parts = isRecord(properties) ? properties : {};
    const value = (name: string) => (Object.hasOwn(parts, name) ? parts[name] : undefined);
    return Object.fromEntries(
      names.map((name) => {
        const part = value(name);
        return [name, isRecord(part) ? smallest(part, depth + 1) : ''];
      }),
    );
  }
  if (kind === 'array') {
    const count = typeof minItems === 'number' ? Math.min(minItems, 100) : 0;
    return Array.from({ length: count }, () => (isRecord(items) ? smallest(items, depth + 1) : ''));
  }
  if (kind === 'number' || kind === 'integer') {
    const least = schema['minimum'] ?? schema['exclusiveMinimum'];
    if (typeof least === 'number') return schema['minimum'] === undefined ? least + 1 : least;
    return typeof schema['maximum'] === 'number' ? Math.min(0, schema['maximum']) : 0;
  }
  if (kind === 'boolean') return false;
  if (kind === 'null') return null;
  const length = typeof schema['minLength'] === 'number' ? Math.min(schema['minLength'], 10_000) : 0;
  return ruleBasedMark.padEnd(length, '.').slice(0, Math.max(length, ruleBasedMark.length));
}
