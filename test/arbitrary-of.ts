import fc from 'fast-check';
import { z } from 'zod';

type Node = {
  type?: string;
  enum?: unknown[];
  anyOf?: Node[];
  properties?: Record<string, Node>;
  items?: Node;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
};

const word = fc.oneof(
  { weight: 6, arbitrary: fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'src/a.ts:12',
      '**bold**',
      '### FINDING_2: x',
      '### DECISION_1: y',
      '- **Concern**: z',
      '**Finding**:',
      '```',
      '```mermaid',
      'focus-area = security',
      'RECOMMEND: THESIS',
      'FINDING_1: YES',
      '—',
      '|',
      '## Approach',
      '<claim>',
      '</claim>',
      '&lt;',
      '\\',
      '(none)',
      '[OUT_OF_SCOPE]',
      '---',
    ),
  },
);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(' ', '\n', '\n\n', '  ', '\n  ', ', ')), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.map((pair) => pair.join('')).join(''));

/** Values that a schema accepts, made of texts that try to break the line formats; already normalised by the schema. */
export function arbitraryOf<T extends z.ZodType>(schema: T): fc.Arbitrary<z.infer<T>> {
  const node = z.toJSONSchema(schema, { io: 'output', reused: 'inline' }) as Node;
  return fromNode(node)
    .map((value) => schema.safeParse(value))
    .filter((result) => result.success)
    .map((result) => result.data as z.infer<T>);
}

function fromNode(node: Node): fc.Arbitrary<unknown> {
  if (node.enum) return fc.constantFrom(...node.enum);
  if (node.anyOf) return fc.oneof(...node.anyOf.map(fromNode));
  switch (node.type) {
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(node.properties ?? {}).map(([key, child]) => [key, fromNode(child)]),
        ),
      );
    case 'array':
      return fc.array(fromNode(node.items ?? {}), {
        minLength: node.minItems ?? 0,
        maxLength: Math.min(node.maxItems ?? 3, 3),
      });
    case 'integer':
      return fc.integer({ min: Math.max(node.minimum ?? 0, 0), max: Math.min(node.maximum ?? 500, 500) });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      if (node.pattern !== undefined) return fc.stringMatching(new RegExp(node.pattern));
      return text.filter((value) => value.trim().length > 0).map((value) => value.slice(0, node.maxLength));
    case 'number':
      return fc.double({ min: node['minimum'] as number, max: node['maximum'] as number, noNaN: true });
    default:
      throw new Error(`no arbitrary for ${JSON.stringify(node)}`);
  }
}
