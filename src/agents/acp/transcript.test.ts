import { expect, test } from 'vitest';
import { answerIn, emptyTranscript, readUpdate, trailingRemark } from './transcript.ts';

const said = (text: string, messageId?: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  ...(messageId === undefined ? {} : { messageId }),
});

test('the answer is the last message, or the text after the last tool', () => {
  const read = (updates: readonly unknown[]) =>
    updates.reduce(
      (transcript: typeof emptyTranscript, update) => readUpdate(transcript, update).transcript,
      emptyTranscript,
    );
  const tool = { sessionUpdate: 'tool_call', toolCallId: 't' };
  expect(answerIn(read([said('I look. '), tool, said('It '), said('is so.')]))).toBe('It is so.');
  expect(answerIn(read([said('It is so.'), tool]))).toBe('It is so.');
  const messages = read([said('one', 'a'), said('two ', 'b'), said('three', 'b'), said('Error: full')]);
  expect(answerIn(messages)).toBe('two three');
  expect(trailingRemark(messages)).toBe('Error: full');
});

test('an answer of very many pieces is read in one pass', () => {
  const pieces = 1_000_000;
  let transcript = emptyTranscript;
  for (let piece = 0; piece < pieces; piece += 1) ({ transcript } = readUpdate(transcript, said('a')));
  expect(answerIn(transcript)).toHaveLength(pieces);
});
