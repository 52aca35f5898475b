import { expect, test } from 'vitest';
import { convertedSites, dispatches, dispatchFor } from './table.ts';

test.each([
  ['T-020', 'implement', 'implementation-reviewer', 'prd spec design plan tasks'],
  ['T-021', 'implement', 'code-quality-reviewer', 'design spec'],
  ['T-022', 'implement', 'security-reviewer', 'design spec'],
  ['T-023', 'implement', 'code-simplifier', 'design'],
  ['T-024', 'implement', 'test-deepener', 'spec design tasks prd'],
  ['T-025', 'implement', 'implementer', 'prd spec design plan tasks'],
  ['T-026', 'implementing', 'implementer', 'prd spec'],
  ['T-027', 'specify', 'spec-reviewer', 'prd'],
  ['T-027', 'specify', 'phase-reviewer', 'prd spec'],
  ['T-028', 'design', 'design-reviewer', 'prd spec'],
  ['T-028', 'design', 'phase-reviewer', 'prd spec design'],
  ['T-029', 'plan', 'plan-reviewer', 'prd spec design'],
  ['T-029', 'plan', 'phase-reviewer', 'prd spec design plan'],
  ['T-030', 'tasks', 'task-reviewer', 'prd spec design plan'],
  ['T-030', 'tasks', 'phase-reviewer', 'prd spec design plan tasks'],
  ['T-031', 'implement', 'relevance-verifier', 'spec design plan tasks'],
  ['T-049', 'implement', 'test-deepener-b', ''],
  ['T-050', 'design', 'codebase-explorer', ''],
  ['T-050', 'design', 'internet-researcher', ''],
])('%s, T-032, T-035: %s %s reads %s', (_row, command, role, list) => {
  expect(dispatchFor(command, role).required.join(' ')).toBe(list);
});

test('T-033: the list of the phase reviewer grows along the pipeline', () => {
  const lengths = ['specify', 'design', 'plan', 'tasks'].map(
    (command) => dispatchFor(command, 'phase-reviewer').required.length,
  );
  expect(lengths).toEqual([2, 3, 4, 5]);
});

test('T-077, T-144: 14 calls with references, six of them in implement, and one per task', () => {
  expect(convertedSites).toHaveLength(14);
  expect(convertedSites.filter(({ command }) => command === 'implement')).toHaveLength(6);
});

test('T-034: a project can give a role its old list back', () => {
  const { unpruned } = dispatchFor('implement', 'security-reviewer');
  const overrides = { 'implement/security-reviewer': unpruned };
  expect(dispatchFor('implement', 'security-reviewer', overrides).required).toEqual(unpruned);
  expect(dispatchFor('implement', 'code-quality-reviewer', overrides).required).toHaveLength(2);
});

test('T-113: only looped roles are resumed', () => {
  const fresh = dispatches
    .filter(({ resumable }) => !resumable)
    .map(({ command, role }) => `${command}/${role}`);
  expect(fresh).toEqual([
    'brainstorm/prd-reviewer',
    'brainstorm/brainstorm-reviewer',
    'design/codebase-explorer',
    'design/internet-researcher',
    'implement/code-simplifier',
    'implement/test-deepener',
    'implement/test-deepener-b',
    'implementing/implementer',
  ]);
});

test('accepts short names; names the commands when one is unknown', () => {
  expect(dispatchFor('tasks', 'task-reviewer').command).toBe('tasks');
  expect(() => dispatchFor('deploy', 'x')).toThrow(/Commands: brainstorm, specify/);
  expect(() => dispatchFor('specify', 'design-reviewer')).toThrow(/it has spec-reviewer, phase-reviewer/);
  expect(() => dispatchFor('constructor', 'x')).toThrow(/Unknown command/);
});
