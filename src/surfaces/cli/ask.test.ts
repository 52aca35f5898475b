import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { GlobalFlags } from '../../service/command.ts';
import { makeAnswerProvider } from './ask.ts';

const flags = { input: true, yes: false } as GlobalFlags;

/** Puts one question to a person who types `keys`; gives the answer and all that was drawn. */
async function asked(
  question: Parameters<ReturnType<typeof makeAnswerProvider>>[0][number],
  ...keys: string[]
) {
  const terminal = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
  };
  let drawn = '';
  terminal.stderr.on('data', (chunk) => {
    drawn += String(chunk);
  });
  const answers = makeAnswerProvider(flags, terminal, new Map())([question], new AbortController().signal);
  let before = 0;
  for (const each of keys) {
    while (!drawn.slice(before).includes(question.text)) await sleep(5);
    before = drawn.length;
    terminal.stdin.write(each);
  }
  return { answer: (await answers)?.[0], drawn };
}

test('Enter accepts the proposal unchanged, and the prompt says so', async () => {
  const { answer, drawn } = await asked({ id: 'q', text: 'Per what?', recommended: 'per client' }, '\r');
  expect(answer).toEqual({ question: 'q', value: 'per client', source: 'person' });
  expect(stripVTControlCharacters(drawn)).toContain('Per what? (Enter: as proposed)');
});

test('a proposal that an agent wrote cannot steer the terminal, and is answered unchanged', async () => {
  const recommended = 'per\u001b]0;owned\u0007 client\u001b[2J';
  const { answer, drawn } = await asked({ id: 'q', text: 'Per what?', recommended }, '\r');
  expect(answer?.value).toBe(recommended);
  // What will be answered is seen whole.
  expect(drawn).toContain('per]0;owned client');
  expect(drawn).not.toContain('\u001b]0;');
  expect(drawn).not.toContain('\u001b[2J');
});

test('what is typed is the answer', async () => {
  const { answer } = await asked({ id: 'q', text: 'Per what?', recommended: 'per client' }, 'per key\r');
  expect(answer?.value).toBe('per key');
});

const consent = {
  id: 'consent',
  text: 'May they read?',
  options: [
    { value: 'yes', label: 'Yes, from now on' },
    { value: 'no', label: 'No' },
  ],
  recommended: 'yes',
};

test('typing no and Enter where arrows choose does not choose yes', async () => {
  const { answer, drawn } = await asked(consent, 'no\r', '\r');
  expect(answer?.value).toBe('no');
  expect(stripVTControlCharacters(drawn)).toContain('“no” was typed; Enter takes what is marked');
});

test.each([
  ['Enter', '\r', 'yes'],
  ['the first letter of what is marked', 'y\r', 'yes'],
  ['an arrow', '\u001b[B\r', 'no'],
  ['letters and then an arrow', 'ye\u001b[B\r', 'no'],
  ['the keys of vi', 'j\r', 'no'],
])('%s chooses at once', async (_, keys, expected) => {
  expect((await asked(consent, keys)).answer?.value).toBe(expected);
});

test('k and Enter took drop where keep was marked, because k moved the list', async () => {
  const options = ['keep', 'drop'].map((value) => ({ value, label: value }));
  const question = { id: 'q', text: 'Which?', options, recommended: 'keep' };
  expect((await asked(question, 'k\r', '\r')).answer?.value).toBe('keep');
});

test.each([
  ['no\n', 'no'],
  ['\n', 'yes'],
  ['perhaps\nno\n', 'no'],
])('without cursor control, %j is read as a line and no escapes are written', async (typed, expected) => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const provider = makeAnswerProvider(flags, { stdin, stdout, stderr, env: { TERM: 'dumb' } }, new Map());
  const answers = provider([consent], new AbortController().signal);
  stdin.write(typed);
  expect((await answers)?.[0]?.value).toBe(expected);
  const drawn = String(stderr.read());
  expect(drawn).toContain('May they read? (Enter: yes)\n  yes: Yes, from now on\n  no: No\n> ');
  expect(drawn).not.toContain('\u001b');
});
