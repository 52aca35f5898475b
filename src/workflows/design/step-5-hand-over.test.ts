import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyArtifacts, outFolder } from './step-5-hand-over.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'charrette-out-'));
  for (const name of ['artifacts', 'docs']) mkdirSync(path.join(folder, name));
  write('artifacts/plan.txt', 'the plan');
  write('artifacts/design-summary.json', '{}');
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
const copy = () => copyArtifacts(path.join(folder, 'artifacts'), path.join(folder, 'docs'));

test('panel/C-39 refuses a folder with other files before the run, not one with an earlier design', async () => {
  expect(outFolder(folder, 'docs/new')).toBe(path.join(folder, 'docs/new'));
  write('docs/plan.txt', 'my own');
  expect(() => outFolder(folder, 'docs')).toThrow(/has files that are not from a design: plan\.txt\./);
  rmSync(path.join(folder, 'docs/plan.txt'));
  await copy();
  expect(outFolder(folder, 'docs')).toBe(path.join(folder, 'docs'));
  write('artifacts/plan.txt', 'another');
  await copy();
  expect(read('docs/plan.txt')).toBe('another');
});

test('panel/C-39 a copy does not follow a link that the folder brought along', async () => {
  write('elsewhere', 'untouched');
  symlinkSync('../elsewhere', path.join(folder, 'docs/plan.txt'));
  await copy();
  expect([read('elsewhere'), read('docs/plan.txt')]).toEqual(['untouched', 'the plan']);
});

test('copies that stopped in the middle count as copies of a design', async () => {
  write('artifacts/ballot.txt', 'votes');
  mkdirSync(path.join(folder, 'artifacts/cannot-be-copied'));
  await expect(copy()).rejects.toThrow();
  expect(read('docs/ballot.txt')).toBe('votes');
  expect(outFolder(folder, 'docs')).toBe(path.join(folder, 'docs'));
});
