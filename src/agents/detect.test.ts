import { expect, test } from 'vitest';
import { type LaneKind, type LaneResult, unknownUsage } from './port.ts';
import { probeAgent, probeRules, saysOk } from './registry.ts';

const result = (kind: LaneKind, text: string): LaneResult => ({
  kind,
  text,
  usage: unknownUsage,
  toolCalls: 0,
  durationMs: 0,
  ...(kind === 'ok' ? {} : { message: `failed with ${kind}` }),
});

const context = {
  signal: new AbortController().signal,
  onEvent: () => {},
  laneDirectory: '/lane',
  directory: '/project',
};

/** Asks an agent that answers with these results in turn; tells what came out and how often it was asked. */
async function ask(...answers: (LaneResult | Error)[]) {
  const prompts: string[] = [];
  const probe = await probeAgent(
    async (task) => {
      prompts.push(task.prompt);
      const answer = answers[prompts.length - 1] ?? answers.at(-1);
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('nothing to say');
      return answer;
    },
    context,
    { attempts: 3, pauseMs: 1 },
  );
  return { ...probe, asked: prompts };
}

test('L-124 exactly ok counts, whatever its case and spaces; a sentence does not', () => {
  for (const text of ['OK', ' ok\n', 'O k', '\tOk ']) expect(saysOk(text)).toBe(true);
  for (const text of ['', 'OK!', 'ok.', 'The answer is OK', 'okay', '"OK"']) expect(saysOk(text)).toBe(false);
});

test('L-124 asks at most three times and stops at the first right answer', async () => {
  expect(probeRules).toEqual({ prompt: 'Respond with OK', wallMs: 60_000, attempts: 3, pauseMs: 10_000 });
  expect(await ask(result('ok', 'ok'))).toEqual({ healthy: true, asked: ['Respond with OK'] });
  expect((await ask(result('server', ''), result('ok', 'OK'))).healthy).toBe(true);
  const wrong = await ask(result('ok', 'Sure, OK!'));
  expect(wrong).toMatchObject({ healthy: false, message: expect.stringContaining('Sure, OK!') });
  expect(wrong.asked).toHaveLength(3);
});

test('L-126 an error of the probe itself is unhealthy, never a crash of the caller', async () => {
  expect(await ask(new Error('no space left'))).toMatchObject({ healthy: false, message: 'no space left' });
});

test('what another try cannot heal is asked once', async () => {
  for (const kind of ['auth', 'unhealthy', 'cancelled'] as const) {
    expect((await ask(result(kind, ''))).asked).toHaveLength(1);
  }
});
