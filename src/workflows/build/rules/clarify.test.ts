import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assumedAnswer, clarificationRounds, cleanOption, mergeClarifications } from './clarify.ts';

const need = (question: string, options: string[], recommended: number | null = null) => ({
  question,
  context: `about ${question}`,
  options,
  recommended,
});

test('P-050 questions of one intent become one, with the recommendation found again after merging', () => {
  const merged = mergeClarifications([
    {
      angle: 'patterns',
      exploration: { clarification_needs: [need('Which store should keep limits?', ['memory', 'redis'])] },
    },
    {
      angle: 'testing',
      exploration: {
        clarification_needs: [need('Which store keeps the limits?', ['file', '★ redis', 'Memory'], 1)],
      },
    },
    { angle: 'dataflow', exploration: { clarification_needs: [need('Who may reset a counter?', [])] } },
  ]);
  expect(merged).toHaveLength(2);
  expect(merged[0]).toMatchObject({
    options: ['memory', 'redis', 'file'],
    recommended: 1,
    angles: ['patterns', 'testing'],
  });
  expect(merged[0] && assumedAnswer(merged[0])).toBe('redis');
  expect(merged[1]).toMatchObject({ options: [], recommended: undefined });
});

test('P-050 more than four options: the recommended ones stay', () => {
  const [merged] = mergeClarifications([
    { angle: 'a', exploration: { clarification_needs: [need('Which one?', ['1', '2', '3', '4'])] } },
    { angle: 'b', exploration: { clarification_needs: [need('Which one?', ['5', '6'], 1)] } },
  ]);
  expect(merged?.options).toEqual(['1', '2', '3', '6']);
  expect(merged?.recommended).toBe(3);
});

test('P-051 marks never get into an answer', () => {
  expect(['★ redis', 'redis (Recommended)', ' redis ★ ', 'redis'].map(cleanOption)).toEqual(
    Array.from({ length: 4 }, () => 'redis'),
  );
});

test('P-050 P-051 whatever the angles ask: at most four options, headers short and unique in a round, every question once', () => {
  const needs = fc.array(
    fc.record({
      question: fc.string({ minLength: 1 }),
      context: fc.string(),
      options: fc.array(fc.string(), { maxLength: 8 }),
      recommended: fc.option(fc.nat(7)),
    }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(fc.array(needs, { maxLength: 4 }), (angles) => {
      const merged = mergeClarifications(
        angles.map((clarification_needs, index) => ({
          angle: `a${index}`,
          exploration: { clarification_needs },
        })),
      );
      const rounds = clarificationRounds(merged);
      expect(rounds.flat()).toEqual(merged);
      for (const round of rounds) {
        expect(round.length).toBeLessThanOrEqual(4);
        expect(new Set(round.map(({ header }) => header)).size).toBe(round.length);
        for (const { header, options, recommended } of round) {
          expect(header.length).toBeLessThanOrEqual(12);
          expect(options.length).toBeLessThanOrEqual(4);
          if (recommended !== undefined) expect(options[recommended]).toBeDefined();
        }
      }
    }),
  );
});
