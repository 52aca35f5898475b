import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { makeAnswerProvider } from './ask.ts';
import type { GlobalFlags } from './command.ts';

const flags = { input: true, yes: false } as GlobalFlags;

/** Puts one question to a person who types `keys`; gives the answer and all that was drawn. */
async function asked(question: Parameters<ReturnType<typeof makeAnswerProvider>>[0][number], keys: string) {
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
  while (!drawn.includes(question.text)) await sleep(5);
  terminal.stdin.write(keys);
  return { answer: (await answers)?.[0], drawn };
}

test('Enter takes the proposal as it is, and that is said', async () => {
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
