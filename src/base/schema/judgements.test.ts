import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryOf } from '../../../test/arbitrary-of.ts';
import { judgementNames } from '../../../test/support/judgement-names.ts';
import { focusAreas } from './judgements/review.ts';
import { judgementJsonSchema, judgements, readJudgement } from './judgements.ts';

type Node = { [key: string]: unknown };

function objectsIn(node: unknown): Node[] {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.values(node).flatMap(objectsIn);
  return 'type' in node && node.type === 'object' ? [node as Node, ...inner] : inner;
}

function keysIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(keysIn);
  return Object.entries(node).flatMap(([key, child]) =>
    key === 'properties' ? Object.values(child as Node).flatMap(keysIn) : [key, ...keysIn(child)],
  );
}

describe.each(judgementNames)('panel/C-31 the JSON Schema of %s', (name) => {
  const schema = judgementJsonSchema(name);

  test('closes every object and requires every key', () => {
    const objects = objectsIn(schema);
    expect(objects.length).toBeGreaterThan(0);
    for (const object of objects) {
      expect(object['additionalProperties']).toBe(false);
      expect(object['required']).toEqual(Object.keys(object['properties'] as Node));
    }
  });

  test('uses only keywords that strict providers accept', () => {
    const allowed = [
      'type',
      'properties',
      'required',
      'additionalProperties',
      'items',
      'enum',
      'anyOf',
      'description',
    ];
    expect([...new Set(keysIn(schema))].filter((key) => !allowed.includes(key))).toEqual([]);
  });

  test('a value it accepted is accepted again unchanged', () => {
    fc.assert(
      fc.property(arbitraryOf(judgements[name]), (value) => {
        expect(readJudgement(name, value)).toEqual({ ok: true, value });
      }),
      { numRuns: 30 },
    );
  });
});

test('L-581: an answer with none of the keys that were asked for is not one with nothing to say', () => {
  for (const answer of [{}, { error: 'overloaded' }, { review: { findings: [] } }]) {
    expect(readJudgement('review', answer)).toEqual({
      ok: false,
      problems: ['the answer: it has none of the keys findings'],
    });
  }
  expect(readJudgement('review', { findings: [] }).ok).toBe(true);
});

test('P-150: rejects a code review that is a summary alone', () => {
  for (const answer of [
    { summary: 'Looks good.' },
    { status: 'completed', summary: 'all done', outputs: [] },
  ])
    expect(readJudgement('code-review', answer)).toEqual({
      ok: false,
      problems: ['the answer: it has none of the keys findings, criteria'],
    });
  expect(readJudgement('code-review', { summary: 'Looks good.', findings: [] }).ok).toBe(true);
});

const finding = {
  title: 'Lock\nis never released',
  focusArea: 'correctness',
  severity: 'Important',
  concern: 'Two callers\r\nrace.  ',
  suggestedRevision: 'Release it in finally.',
  citations: [{ file: './src/lock.ts', line: 12 }],
};

test('L-584 a finding is tidied: titles on one line, missing optional parts filled, unknown keys dropped', () => {
  const reading = readJudgement('review', { findings: [{ ...finding, mood: 'grim' }] });
  expect(reading).toEqual({
    ok: true,
    value: {
      findings: [
        {
          ...finding,
          title: 'Lock is never released',
          concern: 'Two callers\nrace.',
          citations: [{ file: 'src/lock.ts', line: 12, endLine: null, quote: null }],
          outOfScope: false,
        },
      ],
    },
  });
});

test('a wrong answer names every problem with its place', () => {
  const reading = readJudgement('review', { findings: [{ ...finding, focusArea: 'style', title: ' ' }] });
  if (reading.ok) throw new Error('accepted');
  expect(reading.problems.join('\n')).toMatch(/findings\[0\]\.focusArea: .*code-quality/);
  expect(reading.problems.join('\n')).toContain('findings[0].title');
});

test('texts are bounded', () => {
  const reading = readJudgement('vote', {
    votes: [{ id: 'FINDING_1', vote: 'YES', reason: 'x'.repeat(5000) }],
  });
  expect(reading.ok).toBe(false);
});

test('L-171 bounds that were dropped from the provider schema are in its descriptions', () => {
  expect(JSON.stringify(judgementJsonSchema('questions'))).toContain('at most 4 items');
});

test('L-171 a fifth question is refused', () => {
  const question = { title: 't', question: 'q?', options: [], recommended: 'r' };
  expect(readJudgement('questions', { questions: Array.from({ length: 4 }, () => question) }).ok).toBe(true);
  expect(readJudgement('questions', { questions: Array.from({ length: 5 }, () => question) }).ok).toBe(false);
});

test('L-741 L-744 a diagram is one source, or a reason why there is none', () => {
  expect(readJudgement('diagram', { mermaid: 'flowchart TD' })).toEqual({
    ok: true,
    value: { mermaid: 'flowchart TD', reason: null },
  });
  expect(readJudgement('diagram', { reason: 'too abstract' }).ok).toBe(true);
  expect(readJudgement('diagram', { mermaid: ['a', 'b'] }).ok).toBe(false);
});

test('L-585 focus areas are the five', () => {
  expect(focusAreas).toEqual(['code-quality', 'risk-integration', 'correctness', 'architecture', 'security']);
});

test('L-943 no text of an agent can steer a terminal or turn the direction of writing', () => {
  const reading = readJudgement('branch-fit', {
    fits: true,
    reason: 'a\u001b[31mb\u009b2Jc\u202Ed\u2066e\rf',
  });
  expect(reading).toEqual({ ok: true, value: { fits: true, reason: 'a [31mb 2Jc d e f' } });
});

test('a list that is missing or null is an empty one', () => {
  const sketch = { summary: 's', approach: 'a', decisions: null };
  expect(readJudgement('sketch', sketch)).toEqual({
    ok: true,
    value: { summary: 's', approach: 'a', decisions: [], files: [], risks: [] },
  });
});
