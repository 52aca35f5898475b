import { expect, test } from 'vitest';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import { blindPlan } from './blind-plan.ts';
import { coverageOf } from './coverage.ts';
import { benchFor } from './judges.ts';

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

test('where every model is of an author’s family one of them judges, and that is said', () => {
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
