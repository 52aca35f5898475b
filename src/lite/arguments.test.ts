import { expect, test } from 'vitest';
import { modeOf, readArguments, readWords, resolveTrigger } from './arguments.ts';
import { preferenceQuestions, preferencesFrom } from './preferences.ts';
import { sessionId } from './session-id.ts';

test.each([
  ['-y fix bug', true, 'fix bug'],
  ['fix bug -y', true, 'fix bug'],
  ['--yes fix', true, 'fix'],
  ['draw x-y plot', false, 'draw x-y plot'],
  ['pick-y eater', false, 'pick-y eater'],
  ['foo--yes', false, 'foo--yes'],
  ['explain the -y flag', false, 'explain the -y flag'],
  ['fix "quoted -y" text', false, 'fix "quoted -y" text'],
  ['fix it "-y"', false, 'fix it "-y"'],
  ['-y -- -y is the flag', true, '-y is the flag'],
  ['fix it -- -y', false, 'fix it -y'],
])('lite/T-01 P-011 %s', (raw, autoYes, text) => {
  expect(readArguments(raw)).toEqual({ text, flags: { autoYes, forceExplore: false } });
});

test('P-012 the explore flag goes with -y, in both forms', () => {
  expect(readArguments('-e -y do it').flags).toEqual({ autoYes: true, forceExplore: true });
  expect(readWords(['do', 'it', '--explore', '-y'])).toEqual({
    text: 'do it',
    flags: { autoYes: true, forceExplore: true },
  });
  expect(readWords(['fix bug -y']).flags.autoYes).toBe(false);
});

test('P-001 P-002 P-005 both entry names and their hyphen spelling choose the half', () => {
  expect(['workflow:lite-execute', 'workflow-lite-execute', 'lite-execute'].map(modeOf)).toEqual(
    Array.from({ length: 3 }, () => 'execute'),
  );
  expect(['workflow:lite-plan', 'workflow-lite-plan', 'anything'].map(modeOf)).toEqual(
    Array.from({ length: 3 }, () => 'plan'),
  );
});

test('P-003 a trigger that two packages claim goes to one of them, always the same, with a warning', () => {
  const multi = { directory: 'b', name: 'workflow-multi-cli-plan', triggers: ['workflow:lite-execute'] };
  const lite = {
    directory: 'a',
    name: 'workflow-lite-plan',
    triggers: ['workflow:lite-execute'],
    priority: 1,
  };
  for (const claims of [
    [multi, lite],
    [lite, multi],
  ]) {
    const { claim, warning } = resolveTrigger('workflow:lite-execute', claims);
    expect(claim?.name).toBe('workflow-lite-plan');
    expect(warning).toContain('workflow-multi-cli-plan');
  }
  const own = { directory: 'c', name: 'workflow-lite-execute', triggers: [] };
  expect(resolveTrigger('workflow:lite-execute', [lite, own]).claim?.name).toBe('workflow-lite-execute');
});

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
