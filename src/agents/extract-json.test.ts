import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, readJson } from '../base/safe-json.ts';
import {
  extractAnswer,
  extractList,
  type JsonShape,
  jsonExtents,
  readJsonAnswer,
  type WantedJson,
} from './extract-json.ts';

function extractJson(text: string, shape?: JsonShape, keys: readonly string[] = []) {
  const reading = readJsonAnswer(text, { ...(shape === undefined ? {} : { shape }), keys });
  return 'value' in reading ? reading.value : undefined;
}

const wrappers: readonly [string, (json: string) => string][] = [
  ['bare', (json) => json],
  ['spaces', (json) => `\n\n  ${json}\n `],
  ['fenced', (json) => `\`\`\`json\n${json}\n\`\`\``],
  ['fenced without a language', (json) => `Sure!\n\n\`\`\`\n${json}\n\`\`\`\nAnything else?`],
  ['long fence', (json) => `\`\`\`\`json\n${json}\n\`\`\`\``],
  ['tildes', (json) => `~~~\n${json}\n~~~`],
  ['narrated', (json) => `I read the code {see above} and decided: ${json} That is all.`],
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
  ['a bare draft and its revision', `${planted}\n\nOn reflection:\n${fenced(own)}`],
  ['the quoted block first', `FINDING_1 holds this:\n${fenced(planted)}\nMy votes:\n${fenced(own)}`],
  ['both in prose', `It says ${planted}, I say ${own}.`],
  ['the same value twice', `${own}\nOnce more:\n${fenced(own)}`],
  ['a snippet that has none of the keys', `${fenced(own)} The file says {"port": 80}, see [1].`],
  ['a draft that is not JSON', `{votes: [{'id': 1,}]} becomes ${own}`],
  ['a half draft', `I begin: {"votes":[{"id": and again: ${own}`],
  ['a string that holds JSON', `{"note":"{\\"votes\\":[]}"} and ${own}`],
  ['brackets of prose around it', `[so {I say "${own}" here}]`],
  [
    'a quotation behind it',
    `${own}\nFINDING_1 says:\n> ${planted}\n  > ${fenced(planted).replaceAll('\n', '\n> ')}`,
  ],
])('of several values the last one counts: %s', (_, text) => {
  expect(extractJson(text, 'object', ['votes'])).toEqual(parseJson(own, 'test'));
});

const yesOrNo: WantedJson = {
  shape: 'object',
  keys: ['votes'],
  fits: (value) => /"vote":"(?:YES|NO)"/.test(JSON.stringify(value)),
};

test('the last value that fits goes before a later one that does not', () => {
  const example = '{"votes":[{"id":"FINDING_N","vote":"YES|NO"}]}';
  const schema = '{"type":"object","properties":{"votes":{"type":"array"}}}';
  for (const text of [`${example}\n${own}`, `${own}\nas in ${example}`, `${own}\nby ${schema}`]) {
    expect(readJsonAnswer(text, yesOrNo)).toEqual({ kind: 'found', value: parseJson(own, 'test') });
  }
  expect(readJsonAnswer(`I say ${example}`, yesOrNo)).toMatchObject({ kind: 'unfit' });
  expect(readJsonAnswer(`I follow ${schema}`, yesOrNo)).toMatchObject({ kind: 'none' });
});

test('a value that was shown is a quotation among words, and an answer alone', () => {
  const wanted = { ...yesOrNo, shown: [`The item says [${planted}].`] };
  const answer = { kind: 'found', value: parseJson(own, 'test') };
  expect(readJsonAnswer(`${own}\nI ignored ${planted}`, wanted)).toEqual(answer);
  expect(readJsonAnswer(`It says ${planted}.`, wanted)).toEqual({ kind: 'repeated' });
  for (const alone of [planted, fenced(planted)])
    expect(readJsonAnswer(alone, wanted)).toMatchObject({ kind: 'found' });
});

test('the answer is the same whatever words are around it', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'FINDING_1: YES — quoted',
      '```json',
      '{',
      '[',
      '"',
      '}',
      ']',
      '\\',
      '{"votes": [',
      '[1]',
      planted,
    ),
  );
  const prose = fc.array(word, { maxLength: 12 }).map((words) => words.join('\n'));
  fc.assert(
    fc.property(prose, prose, (before, after) => {
      fc.pre(!after.includes('"votes"'));
      // What makes one value of the answer and its prose is not prose.
      fc.pre(!/[[{][\s]*$/.test(before) && !/^\s*[\]}]/.test(after));
      expect(readJsonAnswer(`${before}\n${own}\n${after}`, yesOrNo)).toEqual({
        kind: 'found',
        value: parseJson(own, 'test'),
      });
    }),
  );
});

test('the keys are those of the schema that was asked for', () => {
  const schema = { type: 'object', properties: { votes: {} } };
  expect(extractAnswer(`As {"a":1} has it: ${own}`, schema)).toEqual(parseJson(own, 'test'));
  expect(extractAnswer(`${planted} ${own}`, schema)).toEqual(parseJson(own, 'test'));
  expect(extractAnswer('[1, 2] then [3]', { type: 'array' })).toEqual([3]);
});

test('a list is read from the last object that has it', () => {
  expect(
    extractList('{"findings": ["draft"]} then {"findings": ["a"]} and {"findings": 3}', 'findings'),
  ).toEqual(['a']);
  expect(extractList('{"other": []}', 'findings')).toEqual([]);
});

test('braces in strings do not confuse it', () => {
  expect(extractJson('so: {"text":"a } b { \\" ] c"} end')).toEqual({ text: 'a } b { " ] c' });
});

test('prose, numbers, half documents and other shapes are not an answer', () => {
  for (const text of ['', 'I cannot do that.', '42', '"yes"', 'null', '{"a": ', '{broken}']) {
    expect(extractJson(text)).toBeUndefined();
  }
  expect(extractJson('see [1]', 'object')).toBeUndefined();
  expect(extractJson('{"a":1}', 'array')).toBeUndefined();
});

test('values nested too deeply are not an answer, nor are their parts', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}${own}${'}'.repeat(levels)}`;
  const twice = (levels: number) => `First ${nested(levels)} and again ${nested(levels)} end`;
  expect(extractJson(twice(150))).toEqual(parseJson(nested(150), 'test'));
  for (const levels of [201, 2_200, 50_000]) {
    expect(extractJson(twice(levels), 'object', ['votes'])).toBeUndefined();
    expect(extractJson(nested(levels))).toBeUndefined();
    expect(extractJson(`${nested(levels)} So: ${own}`)).toEqual(parseJson(own, 'test'));
  }
});

test('a check that throws has not passed', () => {
  const fits = () => {
    throw new RangeError('Maximum call stack size exceeded');
  };
  expect(readJsonAnswer(own, { keys: ['votes'], fits })).toMatchObject({ kind: 'unfit' });
});

test.each([
  ['open lists', '['.repeat(3_000_000)],
  ['open keys', '{"'.repeat(1_000_000)],
  ['lists and objects', `${'[{'.repeat(500_000)}${'}]'.repeat(10)}`],
  ['strings that are lists the other way round', '[",'.repeat(1_000_000)],
  ['values of no use', '{"votes":0}'.repeat(300_000)],
])('an answer behind a hostile text is found: %s', (_, hostile) => {
  expect(readJsonAnswer(hostile, yesOrNo).kind).not.toBe('found');
  expect(readJsonAnswer(`${hostile}\n${own}`, yesOrNo)).toEqual({
    kind: 'found',
    value: parseJson(own, 'test'),
  });
});

test('any text is read without throwing', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', '`', '\n', 'a') }),
      (text) => void extractJson(text),
    ),
  );
});

test('finds what a JSON parser reads', () => {
  const brackets = fc.string({
    unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '0', ' ', '\n'),
  });
  fc.assert(
    fc.property(fc.oneof(fc.json(), brackets), (text) => {
      const whole = readJson(text.trim());
      const isContainer = whole.ok && typeof whole.value === 'object' && whole.value !== null;
      expect(
        jsonExtents(text.trim(), '{[').some(([from, end]) => from === 0 && end === text.trim().length),
      ).toBe(isContainer);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['within a string', `${planted}\nMy final votes:\n{"votes":[{"id":"FINDING_1","vo\n`],
  ['between two votes', `${planted}\n${fenced('{"votes":[{"id":"FINDING_1","vote":"NO"},').slice(0, -4)}`],
  ['within an escape', `${planted}\n{"votes":[{"id":"FINDING_1","reason":"a\\`],
])('a draft does not count as the answer when the text ends %s of the final one', (_, text) => {
  const wanted = { shape: 'object', keys: ['votes'] } as const;
  expect(readJsonAnswer(text, { ...wanted, whole: true })).toEqual({ kind: 'cut-off' });
});

test.each([
  `${own}\nThe form was {"votes": [...]}.`,
  `{"votes": [${own}`,
  `${own} ends the {"votes":[] list`,
  `The form is {"votes": [\n${own}`,
])('a form that is only mentioned cuts nothing off: %s', (text) => {
  expect(readJsonAnswer(text, { shape: 'object', keys: ['votes'], whole: true })).toMatchObject({
    kind: 'found',
    value: parseJson(own, 'test'),
  });
});
