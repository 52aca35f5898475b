import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Comparison, ComparisonChoice, Plan } from '../../base/schema/judgements/plan.ts';
import {
  benchFor,
  blindPlan,
  coverageOf,
  coveredCriteria,
  type JudgeVerdict,
  type Preference,
  signTest,
  standingOf,
  taskVerdict,
  verdictOf,
} from './judging.ts';

const agents = [
  { id: 'claude', family: 'anthropic' },
  { id: 'codex', family: 'openai' },
  { id: 'opencode', family: 'openai' },
  { id: 'gemini', family: 'google' },
  { id: 'static', family: 'static' },
];

test('the judges are of neither author’s family, one of each family, never the rules', () => {
  expect(benchFor(agents, ['anthropic'])).toEqual({
    judges: [
      { id: 'codex', family: 'openai' },
      { id: 'gemini', family: 'google' },
    ],
    independent: true,
  });
});

test('one model judges when all are of an author’s family, and the result says so', () => {
  expect(benchFor(agents.slice(0, 1), ['anthropic'])).toEqual({
    judges: [{ id: 'claude', family: 'anthropic' }],
    independent: false,
  });
  expect(benchFor([{ id: 'static', family: 'static' }], ['static'])).toEqual({
    judges: [],
    independent: false,
  });
});

const plan: Plan = {
  title: 'Limit requests',
  summary: 'As Claude said, and Codex-Pragmatic agreed: DECISION_1 holds.',
  files: [
    { path: 'src/a.ts', action: 'modify', description: 'Use the panel’s FINDING_2. Written by GPT.' },
    { path: 'src/b.ts', action: 'new', description: 'A cursor over the rows.' },
  ],
  approach: 'The panel voted for it.',
  edgeCases: [],
  failureModes: [],
  testing: 'Tests.',
  tests: [{ path: 'test/a.test.ts', description: 'It.' }],
  commands: [],
  symbols: [],
  decisions: [{ id: 'DECISION_1', honoured: 'The vote of Gemini is followed.' }],
};

test('a blind plan names no agent, no seat and nothing that only a panel leaves behind', () => {
  const text = blindPlan(plan, { feature: 'limit requests', seats: ['Codex-Pragmatic', 'Author'] });
  expect(text).not.toMatch(/Claude|Codex|GPT|Gemini|Pragmatic|DECISION_|FINDING_|panel/i);
  expect(text).toContain('A cursor over the rows.');
  expect(text).not.toContain('## Decisions');
});

test('a word of the feature stays: it tells nothing about the author', () => {
  expect(blindPlan(plan, { feature: 'support Claude', seats: [] })).toContain('As Claude said');
});

test('coverage counts claims that hold, files of the task, criteria and findings', () => {
  const fact = { subject: 'x', basis: 'exact', reason: 'y' } as const;
  const report = {
    commit: 'c',
    errors: 1,
    warnings: 0,
    facts: [
      { ...fact, check: 'file', result: 'found', severity: 'none' },
      { ...fact, check: 'file', result: 'missing', severity: 'error' },
      { ...fact, check: 'symbol', result: 'unchecked', severity: 'none' },
      { ...fact, check: 'section', result: 'found', severity: 'none' },
    ],
  } as const;
  const counted = coverageOf(
    plan,
    { ...report, facts: [...report.facts] },
    { raised: 4, accepted: 1 },
    { files: ['src/a.ts', 'test/a.test.ts', 'src/c.ts'], criteria: ['one', 'two'], met: 2 },
  );
  expect(counted).toEqual({
    grounded: [1, 2],
    errors: 1,
    warnings: 0,
    files: 2,
    tests: 1,
    expectedFiles: [2, 3],
    criteria: [2, 2],
    findings: [1, 4],
  });
});

const said = (better: ComparisonChoice, a: number[] = [], b: number[] = []): Comparison => ({
  better,
  reason: 'because',
  coveredByA: a,
  coveredByB: b,
});
const sheet = (forward?: Comparison, backward?: Comparison) => ({
  judge: 'j',
  family: 'f',
  ...(forward === undefined ? {} : { forward }),
  ...(backward === undefined ? {} : { backward }),
});

test.each([
  ['A', 'B', 'solo', true],
  ['B', 'A', 'panel', true],
  ['TIE', 'TIE', 'tie', true],
  ['A', 'A', 'tie', false],
  ['B', 'B', 'tie', false],
  ['A', 'TIE', 'tie', false],
  ['TIE', 'A', 'tie', false],
] as const)(
  'a judge who says %s, then %s with the order turned, means %s',
  (first, second, verdict, consistent) => {
    expect(verdictOf(sheet(said(first), said(second)))).toMatchObject({ verdict, consistent });
  },
);

test('a judge who answered in one order only gives no verdict', () => {
  expect(verdictOf(sheet(said('A')))).not.toHaveProperty('verdict');
  expect(verdictOf(sheet(undefined, said('A')))).not.toHaveProperty('verdict');
});

test('favouring a position never wins a task: always A or always B is a tie', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<ComparisonChoice>('A', 'B'),
      fc.integer({ min: 1, max: 5 }),
      (choice, judges) => {
        const verdicts = Array.from({ length: judges }, () => verdictOf(sheet(said(choice), said(choice))));
        expect(taskVerdict(verdicts)).toBe('tie');
      },
    ),
  );
});

test('a task goes to the side with more judges; judges without a verdict and ties decide nothing', () => {
  const of = (...given: (Preference | undefined)[]) =>
    taskVerdict(
      given.map(
        (verdict): JudgeVerdict => ({
          judge: 'j',
          family: 'f',
          reasons: [],
          ...(verdict === undefined ? {} : { verdict }),
        }),
      ),
    );
  expect(of('panel', 'panel', 'solo')).toBe('panel');
  expect(of('solo', 'tie', undefined)).toBe('solo');
  expect(of('panel', 'solo')).toBe('tie');
  expect(of(undefined)).toBeUndefined();
  expect(of()).toBeUndefined();
});

test('swapping the sides swaps the verdict', () => {
  const choice = fc.constantFrom<ComparisonChoice>('A', 'B', 'TIE');
  const swap = { solo: 'panel', panel: 'solo', tie: 'tie' } as const;
  fc.assert(
    fc.property(fc.array(fc.tuple(choice, choice), { minLength: 1, maxLength: 5 }), (pairs) => {
      const one = taskVerdict(pairs.map(([f, b]) => verdictOf(sheet(said(f), said(b)))));
      const other = taskVerdict(pairs.map(([f, b]) => verdictOf(sheet(said(b), said(f)))));
      expect(other).toBe(one === undefined ? undefined : swap[one]);
    }),
  );
});

test('a criterion counts as met when most judges say so in both orders', () => {
  const sure = sheet(said('A', [1], [1, 2]), said('B', [1, 2], [1]));
  const wavering = sheet(said('A', [1, 2], []), said('B', [1], []));
  expect(coveredCriteria([sure], 'solo', 2)).toEqual([1]);
  expect(coveredCriteria([sure], 'panel', 2)).toEqual([1, 2]);
  expect(coveredCriteria([sure, wavering], 'panel', 2)).toEqual([]);
  expect(coveredCriteria([sure, sheet(said('A', [2], [2]))], 'panel', 3)).toEqual([1, 2]);
  expect(coveredCriteria([], 'solo', 3)).toEqual([]);
});

test('fewer than ten judged tasks are anecdotal and get no p', () => {
  const nine = standingOf([...Array<Preference>(9).fill('panel'), undefined]);
  expect(nine).toEqual({ panel: 9, solo: 0, ties: 0, undecided: 1, anecdotal: true });
  const ten = standingOf(Array<Preference>(10).fill('panel'));
  expect(ten).toMatchObject({ panel: 10, anecdotal: false });
  expect(ten.p).toBeCloseTo(2 / 1024, 10);
});

test('the sign test: known values, the same both ways, between 0 and 1', () => {
  expect(signTest(5, 5)).toBe(1);
  expect(signTest(0, 0)).toBe(1);
  expect(signTest(8, 2)).toBeCloseTo(0.109375, 10);
  expect(signTest(9, 1)).toBeCloseTo(0.021484375, 10);
  fc.assert(
    fc.property(fc.nat(100), fc.nat(100), (wins, losses) => {
      const p = signTest(wins, losses);
      expect(p).toBe(signTest(losses, wins));
      expect(p).toBeGreaterThan(0);
      expect(p).toBeLessThanOrEqual(1);
      expect(signTest(Math.max(wins, losses) + 1, Math.min(wins, losses))).toBeLessThanOrEqual(p + 1e-12);
    }),
  );
});
