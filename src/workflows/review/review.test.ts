import { expect, test } from 'vitest';
import { agentsByPart } from './review.ts';

test('R-003 every part of a large change needs a reviewer, and families are counted in each', () => {
  const heard = [
    { part: 1, agent: 'one' },
    { part: 1, agent: 'two' },
    { part: 2, agent: 'one' },
  ];
  expect(agentsByPart(heard, { parts: 2, asked: 2 })).toEqual([['one', 'two'], ['one']]);
  expect(() => agentsByPart(heard, { parts: 3, asked: 2 })).toThrow(
    expect.objectContaining({ code: 'no-reviews', message: expect.stringContaining('part 3 of 3') }),
  );
  expect(() => agentsByPart([], { parts: 1, asked: 2 })).toThrow('No reviewer answered (2 asked).');
});
