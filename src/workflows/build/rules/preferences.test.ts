import { expect, test } from 'vitest';
import { preferenceQuestions, preferencesFrom } from './preferences.ts';
import { sessionId } from './session-id.ts';

test('P-004 P-010 two questions to plan, one to execute, none with -y', () => {
  const none = { autoYes: false, forceExplore: false };
  expect(preferenceQuestions('plan', none).map(({ id }) => id)).toEqual(['auto-mode', 'exploration']);
  expect(preferenceQuestions('execute', none).map(({ id }) => id)).toEqual(['auto-mode']);
  expect(preferenceQuestions('plan', { autoYes: true, forceExplore: false })).toEqual([]);
  const answers = new Map([
    ['auto-mode', { value: 'auto' }],
    ['exploration', { value: 'force' }],
  ]);
  expect(preferencesFrom('plan', none, answers)).toEqual({ autoYes: true, forceExplore: true });
  expect(preferencesFrom('execute', none, answers)).toEqual({ autoYes: true, forceExplore: false });
});

const day = new Date('2026-11-15T23:30:00Z');

test('P-030 P-031 P-033 P-035 session ids: slug and UTC date, a hash without letters, the topic of a prior analysis', () => {
  expect(sessionId('Add rate limiting!', day)).toBe('add-rate-limiting-2026-11-15');
  expect(sessionId('添加限流', day)).toMatch(/^[0-9a-f]{8}-2026-11-15$/);
  expect(sessionId('# Prior Analysis (Order flow)\nfix it', day)).toBe('order-flow-2026-11-15');
  expect(sessionId('x'.repeat(90), day).length).toBeLessThanOrEqual(51);
});

test('P-032 a second session of the same day and name gets a number', () => {
  const taken = new Set(['add-2026-11-15', 'add-2026-11-15-2']);
  expect(sessionId('add', day, taken)).toBe('add-2026-11-15-3');
});
