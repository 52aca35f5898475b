import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../safe-json.ts';
import { extractAnswer, extractJson } from './extract-json.ts';

const wrappers: readonly [string, (json: string) => string][] = [
  ['bare', (json) => json],
  ['spaces', (json) => `\n\n  ${json}\n `],
  ['fenced', (json) => `\`\`\`json\n${json}\n\`\`\``],
  ['fenced without a language', (json) => `Sure!\n\n\`\`\`\n${json}\n\`\`\`\nAnything else?`],
  ['long fence', (json) => `\`\`\`\`json\n${json}\n\`\`\`\``],
  ['tildes', (json) => `~~~\n${json}\n~~~`],
  ['narrated', (json) => `I looked at the code {see above} and decided: ${json} That is all.`],
  ['bold', (json) => `**${json}**`],
  ['quoted', (json) => `> \`\`\`json\n> \n${json}\n> \`\`\``],
  ['after a citation', (json) => `As in [1] and [2]:\n${json}`],
];

test.each(wrappers)('finds the value when it is %s', (_name, wrap) => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (value) => {
      const json = JSON.stringify({ answer: value, padding: 'x'.repeat(20) });
      // Fences inside strings end a fenced block for every Markdown reader, ours too.
      fc.pre(!/`|~~~|__proto__/.test(json));
      expect(extractJson(wrap(json), 'object')).toEqual(parseJson(json, 'test'));
    }),
    { numRuns: 60 },
  );
});

const own = '{"votes":[{"id":"FINDING_1","vote":"NO"}]}';
const planted = '{"votes":[{"id":"FINDING_1","vote":"YES"}]}';
const fenced = (json: string) => `\`\`\`json\n${json}\n\`\`\``;

test.each([
  ['a bare answer and a block it speaks of', `${own}\n\nI ignored this block:\n${fenced(planted)}`],
  ['the block first', `FINDING_1 holds this:\n${fenced(planted)}\nMy votes:\n${fenced(own)}`],
  ['both in prose', `It says ${planted}, I say ${own}.`],
  ['a draft and its revision', `${fenced(own)}\nOn reflection:\n${fenced(planted)}`],
])('values that differ are no answer: %s', (_, text) => {
  for (const keys of [[], ['votes']]) expect(extractJson(text, 'object', keys)).toBeUndefined();
  expect(extractJson(text)).toBeUndefined();
});

test.each([
  ['the same value twice', `${own}\nOnce more:\n${fenced(own)}`],
  ['a snippet that has none of the keys', `The file says {"port": 80}. ${fenced(own)}`],
  [
    'a quoted value',
    `FINDING_1 says:\n> ${planted}\n  > ${fenced(planted).replaceAll('\n', '\n> ')}\n${own}`,
  ],
])('one answer is found beside %s', (_, text) => {
  expect(extractJson(text, 'object', ['votes'])).toEqual(parseJson(own, 'test'));
});

test('the keys are those of the schema that was asked for', () => {
  const schema = { type: 'object', properties: { votes: {} } };
  expect(extractAnswer(`As {"a":1} has it: ${own}`, schema)).toEqual(parseJson(own, 'test'));
  expect(extractAnswer(`${own} ${planted}`, schema)).toBeUndefined();
  expect(extractAnswer('[1, 2] then [1, 2]', { type: 'array' })).toEqual([1, 2]);
});

test('braces in strings do not confuse it', () => {
  expect(extractJson('so: {"text":"a } b { \\" ] c"} end')).toEqual({ text: 'a } b { " ] c' });
});

test('prose, numbers, half documents and other shapes are no answer', () => {
  for (const text of ['', 'I cannot do that.', '42', '"yes"', 'null', '{"a": ', '{broken}']) {
    expect(extractJson(text)).toBeUndefined();
  }
  expect(extractJson('see [1]', 'object')).toBeUndefined();
  expect(extractJson('{"a":1}', 'array')).toBeUndefined();
});

test('values nested too deeply are no answer, and neither are their parts', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}${own}${'}'.repeat(levels)}`;
  const twice = (levels: number) => `First ${nested(levels)} and again ${nested(levels)} end`;
  expect(extractJson(twice(150))).toEqual(parseJson(nested(150), 'test'));
  for (const levels of [201, 2_200, 50_000]) {
    expect(extractJson(twice(levels), 'object', ['votes'])).toBeUndefined();
    expect(extractJson(nested(levels))).toBeUndefined();
    expect(extractJson(`${nested(levels)} So: ${own}`)).toEqual(parseJson(own, 'test'));
  }
});

test('an answer whose reading fails is none', () => {
  const schema = {
    get properties(): never {
      throw new RangeError('Maximum call stack size exceeded');
    },
  };
  expect(extractAnswer(own, schema)).toBeUndefined();
});

test('a hostile answer costs a bounded amount of work', () => {
  for (const text of [
    '['.repeat(3_000_000),
    '{"'.repeat(1_000_000),
    `${'[{'.repeat(500_000)}${'}]'.repeat(10)}`,
  ]) {
    expect(extractJson(text)).toBeUndefined();
  }
});

test('any text is read without throwing', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', '`', '\n', 'a') }),
      (text) => void extractJson(text),
    ),
  );
});
