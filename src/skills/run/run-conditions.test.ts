import { expect, test } from 'vitest';
import { cleanTexts, packageOf } from '../../../test/support/skill-packages.ts';
import { runPlan } from './run-plan.ts';
import { type Scenario, simulate } from './simulate.ts';

const plan = runPlan(packageOf(cleanTexts()));
const outputs = {
  1: { sessionId: 's' },
  2: { contextPath: 'c', conflictRisk: 'high' },
  3: { resolutionPath: 'r' },
  4: { taskPath: 't' },
};
const scenario = (more: Partial<Scenario> = {}): Scenario => ({
  name: 'x',
  task: 'a task',
  answers: {},
  phases: outputs,
  expect: {},
  ...more,
});

const loopOf = (until: string, limit: number) =>
  runPlan(
    packageOf(
      cleanTexts({
        profile: 'loop',
        loop: { until, from: 1, limit },
        dataFlow: [],
        phases: [
          { name: 'A', description: 'a' },
          { name: 'B', description: 'b', outputVariables: ['passRate'] },
        ],
      }),
    ),
  );

test('a loop whose condition never holds says so after its last round, in a test too', async () => {
  const never = { phases: { 2: { passRate: 10 } } };
  const reason = '`passRate >= 95` does not hold after 2 rounds';
  const result = await simulate(loopOf('passRate >= 95', 2), scenario(never));
  expect(result).toMatchObject({ reached: [1, 2, 1, 2], problems: [reason] });
  const expected = await simulate(
    loopOf('passRate >= 95', 2),
    scenario({ ...never, expect: { fails: reason, values: { passRate: 10 } } }),
  );
  expect(expected.problems).toEqual([]);
  expect((await simulate(loopOf('passRate >= 95', 1), scenario(never))).problems).toEqual([
    '`passRate >= 95` does not hold after 1 round',
  ]);
});

test('S-016 S-035 conditions read preferences from the answers alone, and outputs that no phase declares count for nothing', async () => {
  const subject = runPlan(
    packageOf(
      cleanTexts({
        dataFlow: [],
        phases: [
          { name: 'A', description: 'a', outputVariables: ['sessionId'] },
          { name: 'B', description: 'b', outputVariables: ['note'] },
          { name: 'C', description: 'c', condition: 'workflowPreferences.depth == "Thorough"' },
          { name: 'D', description: 'd', condition: 'depth == "Thorough"' },
          { name: 'E', description: 'e', condition: 'autoYes' },
        ],
      }),
    ),
  );
  const more = { depth: 'Thorough', autoYes: true, task: 'another', sessionId: 'another' };
  const run = (answers: Record<string, string>) =>
    simulate(
      subject,
      scenario({
        answers,
        phases: { 1: { sessionId: 's' }, 2: { note: 'n', ...more } },
        expect: { values: { task: 'a task', sessionId: 's', note: 'n' } },
      }),
    );
  expect(await run({ depth: 'Quick' })).toMatchObject({ problems: [], reached: [1, 2], skipped: [3, 4, 5] });
  expect(await run({ depth: 'Thorough' })).toMatchObject({ problems: [], reached: [1, 2, 3, 4] });
});

test.each(['severe', 'very high', 'high risk', 3])(
  'S-035 T-09 a value that is not a level fails the phase that gave it and is requested again: %j',
  async (value) => {
    const [bad, good] = [value, 'High '].map((conflictRisk) => ({ contextPath: 'c', conflictRisk }));
    const always = await simulate(plan, scenario({ phases: { ...outputs, 2: bad } }));
    expect(always.problems[0]).toMatch(
      /^Phase 2 \(Context Gather\) failed after 3 attempts: The output conflictRisk is .*; conditions order it, so it is one of none, low, medium, high, critical\.$/,
    );
    expect(await simulate(plan, scenario({ phases: { ...outputs, 2: [bad, good] } }))).toMatchObject({
      problems: [],
      reached: [1, 2, 3, 4],
    });
  },
);

test('a value that is not a number fails the phase that a loop counts on; what nothing gave cannot be ordered and is named', async () => {
  const percent = await simulate(
    loopOf('passRate >= 95', 2),
    scenario({ phases: { 2: { passRate: '97%' } } }),
  );
  expect(percent.problems[0]).toContain(
    'The output passRate is "97%"; conditions order it, so it is a number.',
  );
  const texts = cleanTexts();
  texts['SKILL.md'] = (texts['SKILL.md'] ?? '').replaceAll('conflictRisk >= medium', 'depth >= medium');
  const { problems } = await simulate(runPlan(packageOf(texts)), scenario());
  expect(problems[0]).toBe(
    'The condition depth >= medium cannot be decided for "Quick" and "medium": only levels (none < low < medium < high < critical) and numbers have an order.',
  );
});
