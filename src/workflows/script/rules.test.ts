import { describe, expect, test } from 'vitest';
import { schemaChecker } from './answer-schema.ts';
import { chooseModel, spreadOverFamilies } from './models.ts';
import { councilPrimitives, type SeatReply } from './primitives.ts';

const agents = [
  { id: 'claude', family: 'anthropic' },
  { id: 'codex', family: 'openai' },
];
const rules = { models: {}, tiers: {}, agents };

describe('models', () => {
  test('W-120: without a model the first agent answers', () => {
    expect(chooseModel(undefined, rules)).toMatchObject({ agent: 'claude', guess: false });
  });

  test('W-121: configuration, then name, then vendor, then tier, then a guess', () => {
    const models = { opus: 'codex', haiku: { agent: 'codex', model: 'small', effort: 'low' } };
    expect(chooseModel('opus', { ...rules, models })).toMatchObject({ agent: 'codex', guess: false });
    expect(chooseModel('haiku', { ...rules, models })).toMatchObject({
      agent: 'codex',
      model: 'small',
      effort: 'low',
    });
    expect(chooseModel('codex', rules)).toMatchObject({ agent: 'codex', guess: false });
    expect(chooseModel('sonnet', rules)).toMatchObject({ agent: 'claude', model: 'sonnet', guess: false });
    expect(chooseModel('gpt-5.5', rules)).toMatchObject({ agent: 'codex', model: 'gpt-5.5' });
    const local = { ...rules, agents: [{ id: 'local', family: 'mine' }] };
    expect(
      chooseModel('opus', { ...local, tiers: { strong: { agent: 'local', model: 'big' } } }),
    ).toMatchObject({
      agent: 'local',
      model: 'big',
      guess: false,
    });
    expect(chooseModel('opus', local)).toMatchObject({ agent: 'local', guess: true });
    expect(chooseModel('gemini-3', { ...rules, models: { 'gemini-3': 'gone' } })).toMatchObject({
      agent: 'claude',
      guess: true,
    });
  });

  test('seats take another family each time, as long as there is one', () => {
    const three = [agents[0], { id: 'opus', family: 'anthropic' }, agents[1]].flatMap((each) => each ?? []);
    expect(spreadOverFamilies(three).map(({ id }) => id)).toEqual(['claude', 'codex', 'opus']);
  });
});

describe('schemas', () => {
  const check = schemaChecker({
    type: 'object',
    required: ['n', 'tags'],
    properties: { n: { type: 'integer', minimum: 3 }, tags: { type: 'array', items: { type: 'string' } } },
  });

  test('W-012: names what does not fit', () => {
    expect(check({ n: 3, tags: ['a'] })).toEqual([]);
    expect(check({ n: 2, tags: [1] })).toHaveLength(2);
    expect(check([])).toHaveLength(1);
  });

  test('W-013: a schema that contradicts itself is refused', () => {
    const bad = { type: 'object', properties: { a: { type: 'array', minItems: 3, maxItems: 1 } } };
    expect(() => schemaChecker(bad)).toThrow(/schema\.a: minItems 3 is more than maxItems 1/);
    expect(() => schemaChecker({ type: 'string' })).toThrow(/describes an object/);
  });

  test('W-146: an expression of the script is never evaluated here', () => {
    const slow = schemaChecker({
      type: 'object',
      properties: { a: { type: 'string', pattern: '^(a+)+$' }, pattern: { type: 'string' } },
      required: ['a', 'pattern'],
    });
    expect(slow({ a: `${'a'.repeat(40)}!`, pattern: 'x' })).toEqual([]);
    expect(slow({ a: 'a' })).toHaveLength(1);
  });
});

/** Answers each call of a seat by its label. */
function council(answer: (label: string, prompt: string) => unknown) {
  const seats = agents.map(({ id, family }) => ({ agent: id, family }));
  return councilPrimitives({
    seats,
    parallel: (thunks) => Promise.all(thunks.map((thunk) => thunk())),
    quote: (value) => JSON.stringify(value),
    async callSeat(prompt, { label, seat }): Promise<SeatReply> {
      const by = seats[Number(seat) % 2];
      const value = answer(String(label), prompt);
      return {
        value: value ?? null,
        ...(by === undefined ? {} : { by }),
        ...(value === undefined ? { reason: 'no answer' } : {}),
      };
    },
  });
}

describe('primitives', () => {
  test('W-163: a judge that changes with the order counts for no candidate', async () => {
    const first = council(() => ({ option: 1, reason: 'it is first' }));
    expect(await first.judge(['a', 'b'])).toMatchObject({
      winner: null,
      votes: [{ choice: null }, { choice: null }, { choice: null }],
    });
    const steady = council((label) => ({ option: label.includes('other') ? 1 : 2, reason: 'better' }));
    expect(await steady.judge(['a', 'b'])).toMatchObject({ winner: 1, reason: 'better' });
  });

  test('W-164: one judge alone decides nothing', async () => {
    const steady = council((label) => ({ option: label.includes('other') ? 1 : 2, reason: 'better' }));
    expect(await steady.judge(['a', 'b'], { judges: 1 })).toMatchObject({ winner: null });
  });

  test('judges see no name of an agent', async () => {
    const seen: string[] = [];
    const nosy = council((_, prompt) => {
      seen.push(prompt);
      return { option: 1, reason: '' };
    });
    await nosy.judge([{ agent: 'codex', value: 'Claude says so' }, 'other']);
    expect(seen.join('\n')).not.toMatch(/claude|codex/i);
  });

  test('W-164: below its quorum a panel throws and names who is missing', async () => {
    const half = council((label) => (label === 'b' ? undefined : 'yes'));
    expect(await half.panel('?', { seats: ['a', 'b'] })).toMatchObject({
      answers: [{ seat: 'a', agent: 'claude', value: 'yes' }],
      missing: [{ seat: 'b', agent: 'codex', reason: 'no answer' }],
    });
    await expect(half.panel('?', { seats: ['a', 'b'], quorum: 2 })).rejects.toThrow(
      /1 of 2 seats answered, 2 are needed \(b: no answer\)/,
    );
  });

  test('votes are counted by code: majority, two thirds, all', async () => {
    const voters = council((label) => ({
      votes: [
        { id: 'ITEM_1', vote: 'YES', reason: '' },
        { id: 'ITEM_2', vote: label === 'voter 1' ? 'NO' : 'YES', reason: '' },
        { id: 'ITEM_3', vote: 'NO', reason: '' },
      ],
    }));
    const items = ['one', 'two', 'three'];
    expect(await voters.vote(items, { voters: 3 })).toMatchObject({
      accepted: ['one', 'two'],
      rejected: ['three'],
    });
    expect(await voters.vote(items, { voters: 3, need: 'all' })).toMatchObject({
      accepted: ['one'],
      rejected: ['two', 'three'],
    });
  });

  test('without any vote nothing is accepted and nothing rejected', async () => {
    const silent = council(() => undefined);
    expect(await silent.vote(['one'])).toMatchObject({ accepted: [], rejected: [], undecided: ['one'] });
  });

  test('a debate without a defence has no winner', async () => {
    const half = council((label) => (label === 'against' ? undefined : 'a case'));
    expect(await half.debate('x?', { for: 'yes', against: 'no' })).toMatchObject({ winner: null });
    const whole = council((label) =>
      label.startsWith('judge') ? { option: label.includes('other') ? 2 : 1, reason: 'evidence' } : 'a case',
    );
    expect(await whole.debate('x?', { for: 'yes', against: 'no' })).toMatchObject({
      winner: 0,
      reason: 'evidence',
    });
  });
});
