import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { useExampleShop } from '../example-shop.ts';

const shop = useExampleShop();
const root = path.resolve(import.meta.dirname, '../..');

/** Runs an example of the library, which imports the built package by its name. */
function example(name: string, ...words: string[]) {
  const file = path.join(root, 'examples', 'library', `${name}.ts`);
  const node = ['--disable-warning=ExperimentalWarning', file];
  return spawnSync(process.execPath, [...node, ...words], { cwd: root, encoding: 'utf8' });
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
