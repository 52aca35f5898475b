import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';

import { baselineFile, decisionOn, type Known, readBaseline, remember } from './baseline.ts';

const known = (more: Partial<Known> = {}): Known => ({
  fingerprint: `${'a'.repeat(16)}-${'b'.repeat(8)}`,
  ...{ decision: 'wont-fix', reason: 'on purpose', title: 'Starts at one', who: 'ann' },
  ...more,
});

test('R-012 a decision is kept once per finding, and a damaged baseline is an error', async () => {
  const project = mkdtempSync(path.join(tmpdir(), 'baseline-'));
  expect(await readBaseline(project)).toEqual([]);
  mkdirSync(path.join(project, '.charrette'));
  await remember(project, known());
  await remember(project, known({ decision: 'false-positive' }));
  expect(await readBaseline(project)).toEqual([known({ decision: 'false-positive' })]);
  writeFileSync(baselineFile(project), '{"schemaVersion":1,"findings":[{"fingerprint":"x"}]}');
  await expect(readBaseline(project)).rejects.toMatchObject({ code: 'json-invalid' });
});

test.each([{ until: '2026-13-45' }, { reason: 'x'.repeat(2001) }])(
  'R-012 a decision that could not be read again is not written',
  async (more) => {
    const project = mkdtempSync(path.join(tmpdir(), 'baseline-'));
    mkdirSync(path.join(project, '.charrette'));
    await expect(remember(project, known(more))).rejects.toMatchObject({ code: 'usage' });
    expect(await readBaseline(project)).toEqual([]);
  },
);

test('R-012 other words for the same place are known; another place is not, nor is one whose day has come', () => {
  const renamed = { fingerprint: `${'a'.repeat(16)}-${'c'.repeat(8)}` };
  expect(decisionOn(renamed, [known()], '2026-11-19')).toBe('wont-fix');
  expect(decisionOn(renamed, [known({ until: '2026-11-20' })], '2026-11-19')).toBe('wont-fix');
  expect(decisionOn(renamed, [known({ until: '2026-11-20' })], '2026-11-20')).toBeUndefined();
  const elsewhere = { fingerprint: `${'d'.repeat(16)}-${'b'.repeat(8)}` };
  expect(decisionOn(elsewhere, [known()], '2026-11-19')).toBeUndefined();
});
