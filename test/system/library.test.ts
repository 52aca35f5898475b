import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { useExampleShop } from '../example-shop.ts';

const shop = useExampleShop();
const root = path.resolve(import.meta.dirname, '../..');

/** Runs an example of the library, which imports the built package by its name. */
function example(name: string, ...words: string[]) {
  const file = path.join(root, 'examples', 'library', `${name}.ts`);
  const node = ['--disable-warning=ExperimentalWarning', file];
  return spawnSync(process.execPath, [...node, ...words], { cwd: root, encoding: 'utf8', input: '' });
}

test('the design example runs a design in its own process and prints the plan', () => {
  const { stdout, stderr, status } = example('design', shop.directory, 'let customers cancel an order');
  expect(stderr).toMatch(/: done\n$/);
  expect(stdout).toContain('# Plan');
  expect(status).toBe(0);
});

test('the design example prints code and fix of an error', () => {
  const { stderr, status } = example('design', path.join(root, 'nowhere'), 'x');
  expect(stderr).toContain('[not-found]');
  expect(status).toBe(1);
});

test('a council of one’s own debates and judges without the design workflow, and is a run of the project', () => {
  const agent = path.join(root, 'test/agents/panel-agent.mjs');
  const { stdout, stderr, status } = example(
    'own-council',
    ...[shop.directory, 'let customers cancel an order', process.execPath, agent],
  );
  expect(stdout).toContain('### DECISION_1: ');
  expect(stdout).toContain('**Disposition**: voted');
  expect(status).toBe(0);
  const run = /charrette show (\S+)`/.exec(stderr)?.[1] ?? '';
  const folder = path.join(shop.directory, '.charrette', 'runs', run);
  expect(JSON.parse(readFileSync(path.join(folder, 'run.json'), 'utf8'))).toMatchObject({
    workflow: 'own-council',
    status: 'done',
  });
  const artifacts = readdirSync(path.join(folder, 'artifacts'));
  expect(artifacts).toEqual(expect.arrayContaining(['dialectic-ballot.txt', 'resolutions.md']));
  expect(artifacts).not.toContain('plan.txt');
});

test('a review of a diff gets findings, one vote each, and a tally', () => {
  const finding = {
    ...{ title: 'The limit is never checked', focusArea: 'correctness', severity: 'Important' },
    ...{ concern: 'Every order passes.', suggestedRevision: 'Check it.', citations: [], outOfScope: false },
  };
  const answers = {
    'diff-review': { findings: [finding] },
    'merge-findings': { clusters: [{ ids: ['ITEM_1', 'ITEM_2'], title: null }] },
    vote: { votes: [{ id: 'FINDING_1', vote: 'YES', reason: 'It holds.' }] },
  };
  const agent = path.join(shop.directory, 'agent.mjs');
  writeFileSync(
    agent,
    `process.stdout.write(JSON.stringify(${JSON.stringify(answers)}[process.env.CHARRETTE_TASK]));`,
  );
  const { stdout, status } = example('review-diff', shop.directory, process.execPath, agent);
  expect(stdout).toBe('accepted (2 YES, 0 NO): The limit is never checked\n  Every order passes.\n');
  expect(status).toBe(0);
});

test('the lint example checks the shipped skills', () => {
  const { stdout, status } = example('lint', 'skills');
  expect(stdout).toMatch(/\d+ packages: PASS/);
  expect(status).toBe(0);
});

test('the context example prints the documents of a project', () => {
  const folder = path.join(shop.directory, '.moai', 'design');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'spec.md'), '# Orders\n\nCustomers cancel an order within a day.\n');
  const { stdout, stderr, status } = example('context', shop.directory);
  expect(stderr).toContain('loaded');
  expect(stdout).toContain('Customers cancel an order');
  expect(status).toBe(0);
});
