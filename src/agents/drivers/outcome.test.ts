import { describe, expect, test } from 'vitest';
import { replay } from '../../../test/support/replay.ts';
import { drivers } from '../registry.ts';

describe('a program that leaves without a result', () => {
  test('is judged by its last words on stderr, without the stack trace', () => {
    const stderr = 'Error: Not logged in\n    at run (file.js:1:2)\n    at main (file.js:3:4)\n';
    const result = replay(drivers.gemini, '', { code: 41, stderr });
    expect(result.kind).toBe('auth');
    expect(result.message).toBe(
      'The agent ended with exit code 41 and no result. It said: Error: Not logged in',
    );
  });

  test('by what it printed when it said nothing on stderr', () => {
    const stdout = "\n  \u001b[31merror: No provider configured.\u001b[0m Run 'goose configure' first.\n";
    expect(replay(drivers.goose, stdout, { code: 1, stdout }).kind).toBe('auth');
  });

  test('but never by its answer: an answer about rate limits is not a rate limit', () => {
    const stdout = 'The plan adds a rate limit and a login page.';
    expect(replay(drivers.exec, stdout, { code: 1, stdout })).toMatchObject({
      kind: 'crash',
      text: `${stdout}\n`,
    });
  });

  test('a flag it does not know makes it unhealthy: another version than its driver knows', () => {
    expect(replay(drivers.claude, '', { code: 1, stderr: "error: unknown option '--restricted'" }).kind).toBe(
      'unhealthy',
    );
  });
});

describe('ended by us', () => {
  test('while it was retrying: the limit is the verdict, with the last error', () => {
    const line = JSON.stringify({ type: 'error', message: 'unexpected status 500' });
    const result = replay(drivers.codex, line, { ended: 'wall' });
    expect(result.kind).toBe('timeout');
    expect(result.message).toContain('unexpected status 500');
  });

  test('L-375: reports a passed limit and when it passed', () => {
    const context = { limits: { wallMs: 1_200_000, idleMs: 600_000 } };
    const ended = (reason: 'wall' | 'idle') =>
      replay(drivers.exec, '', { ended: reason, durationMs: 1_203_000 }, context).message;
    expect(ended('wall')).toBe('The time limit of the call passed (limit 20m, ended at 20m3s).');
    expect(ended('idle')).toContain(
      'sent nothing for longer than the idle limit (limit 10m, ended at 20m3s).',
    );
  });

  test('after it had given its whole answer: the answer counts', () => {
    const line = JSON.stringify({ type: 'result', subtype: 'success', result: 'done' });
    expect(replay(drivers.claude, line, { ended: 'wall', signal: 'SIGKILL' }).kind).toBe('ok');
  });

  test('cancelled is cancelled, even with an answer', () => {
    const line = JSON.stringify({ type: 'result', subtype: 'success', result: 'done' });
    expect(replay(drivers.claude, line, { ended: 'cancelled' }).kind).toBe('cancelled');
  });
});

describe('opencode, whose steps end one by one', () => {
  const start = { type: 'step_start', sessionID: 's', part: {} };
  const text = (words: string) => ({ type: 'text', part: { text: words } });
  const finish = (reason: string) => ({ type: 'step_finish', part: { reason } });
  const lines = (...events: object[]) => events.map((event) => JSON.stringify(event)).join('\n');

  test('half of a step after one that stopped is not an answer', () => {
    const stream = lines(start, text('First.'), finish('stop'), start, text('Half of'));
    expect(replay(drivers.opencode, stream, { signal: 'SIGTERM', ended: 'idle' }).kind).toBe('timeout');
    expect(replay(drivers.opencode, stream, { code: 1 }).kind).toBe('crash');
  });

  test('the last step that stopped has the answer', () => {
    const stream = lines(start, text('First.'), finish('stop'), start, text('Second.'), finish('stop'));
    expect(replay(drivers.opencode, stream, { code: 0 })).toMatchObject({ kind: 'ok', text: 'Second.' });
  });

  test('an answer that the provider withheld is not a crash of the program', () => {
    const stream = lines(start, text('I cannot'), finish('content-filter'));
    expect(replay(drivers.opencode, stream, { code: 0 })).toMatchObject({ kind: 'bad_output', text: '' });
  });
});

test('Claude Code without a valid answer form did not crash', () => {
  const errors = ['Failed to provide valid structured output after 5 attempts'];
  const subtype = 'error_max_structured_output_retries';
  const stream = JSON.stringify({ type: 'result', subtype, is_error: true, errors });
  expect(replay(drivers.claude, stream, { code: 1 })).toMatchObject({
    kind: 'bad_output',
    message: errors[0],
  });
});

test('a total of a conversation without what came before it is an estimate', () => {
  const lines = [
    { type: 'item.completed', item: { type: 'agent_message', text: 'x' } },
    { type: 'turn.completed', usage: { input_tokens: 10, output_tokens: 1 } },
  ].map((event) => JSON.stringify(event));
  const usage = (resumed: boolean) =>
    replay(drivers.codex, lines.join('\n'), { code: 0 }, { resumed }).usage.basis;
  expect(usage(false)).toBe('measured');
  expect(usage(true)).toBe('estimated');
});

describe('words before the end are not an answer', () => {
  const say = (text: string) => ({ type: 'assistant', message: { content: [{ type: 'text', text }] } });
  const tool = { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 'a' }] } };
  const first = say('First impression, still to be checked:\nFINDING_1: YES\n{"votes": []}');
  const schema = { type: 'object' };
  const run = (...events: object[]) =>
    replay(drivers.claude, events.map((event) => JSON.stringify(event)).join('\n'), { code: 0 }, { schema });

  test('of a run that ended well with nothing', () => {
    const end = { type: 'result', subtype: 'success', is_error: false, result: '' };
    expect(run(first, tool, end)).toMatchObject({ kind: 'bad_output', text: '' });
    expect(run(first, tool, end).value).toBeUndefined();
  });

  test('of a run that failed because the answer is missing', () => {
    const end = { type: 'result', subtype: 'error', is_error: true, result: 'The answer is not valid JSON.' };
    const result = run(first, end);
    expect(result).toMatchObject({ kind: 'bad_output', text: '' });
    expect(result.value).toBeUndefined();
  });

  test('but people see the last words of every other failure', () => {
    expect(run(first, tool)).toMatchObject({
      kind: 'crash',
      text: expect.stringContaining('First impression'),
    });
  });
});
