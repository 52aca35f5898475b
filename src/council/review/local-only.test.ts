import { expect, test } from 'vitest';
import { localOnly } from './local-only.ts';

const usual = [
  'plan.txt',
  'voting-tally.md',
  'oos.md',
  'codex-sketch-edge-output.txt',
  'codex-judge-output.txt',
  'debate-1-thesis-output.txt',
];
const papers = ['ballot.txt', 'ballot-2.txt', 'codex-plan-edge-output.txt', 'codex-vote-output.txt'];

test('L-694 what was written about a held observation stays local with it; without one nothing does', () => {
  expect(localOnly([...usual, ...papers])).toEqual([]);
  expect(localOnly([...usual, ...papers, 'oos-security-local.md'])).toEqual([
    ...papers,
    'oos-security-local.md',
  ]);
});
