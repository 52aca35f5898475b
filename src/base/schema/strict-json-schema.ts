import { z } from 'zod';

export type StrictJsonSchema = { readonly [key: string]: unknown };

/** Bounds that some strict providers refuse in a schema; they are said in the description and checked by us. */
const boundKeys = {
  minLength: (value: unknown) => (value === 1 ? 'not empty' : `at least ${value} characters`),
  maxLength: (value: unknown) => `at most ${value} characters`,
  minItems: (value: unknown) => `at least ${value} items`,
  maxItems: (value: unknown) => `at most ${value} items`,
  minimum: (value: unknown) => `at least ${value}`,
  maximum: (value: unknown) => `at most ${value}`,
} as const;

/** Keys that carry nothing for a provider, or that strict modes reject. */
const droppedKeys = ['default', 'pattern', 'format', 'exclusiveMinimum', 'exclusiveMaximum'];

/**
 * The JSON Schema of an answer in the subset every strict provider takes: closed objects, every key required, no bounds,
 * no references. What was dropped is written into the descriptions.
 */
export function strictJsonSchema(schema: z.ZodType): StrictJsonSchema {
  const { $schema: _, ...document } = z.toJSONSchema(schema, { io: 'output', reused: 'inline' });
  return simplify(document);
}

type Node = { [key: string]: unknown };

function simplify(node: Node): Node {
  const bounds = Object.entries(boundKeys)
    .filter(([key]) => key in node && Math.abs(Number(node[key])) < Number.MAX_SAFE_INTEGER)
    .map(([key, say]) => say(node[key]));
  const kept = Object.entries(node).filter(([key]) => !(key in boundKeys) && !droppedKeys.includes(key));
  const result = Object.fromEntries(kept.map(([key, child]) => [key, simplifyPart(key, child)]));
  const description = [node['description'], bounds.length > 0 ? `(${bounds.join(', ')})` : undefined];
  const said = description.filter((part) => part !== undefined).join(' ');
  return said === '' ? result : { ...result, description: said };
}

function simplifyPart(key: string, part: unknown): unknown {
  if (key === 'items') return simplify(part as Node);
  if (key === 'anyOf') return (part as Node[]).map(simplify);
  if (key === 'properties') {
    return Object.fromEntries(
      Object.entries(part as Record<string, Node>).map(([name, child]) => [name, simplify(child)]),
    );
  }
  return part;
}
