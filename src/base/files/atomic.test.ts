import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { rewriteFileAtomic } from './atomic.ts';

test('writing a file again removes what a killed attempt at the same file left, and nothing else', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-atomic-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const others = ['.plan.json.0f209408e27f.tmp', '.spec.md.bak', 'spec.md.tmp'];
  for (const name of ['.spec.md.e06228464bdb.tmp', ...others]) writeFileSync(path.join(folder, name), 'half');
  await rewriteFileAtomic(path.join(folder, 'spec.md'), 'whole');
  expect(readdirSync(folder).sort()).toEqual([...others, 'spec.md'].sort());
  expect(readFileSync(path.join(folder, 'spec.md'), 'utf8')).toBe('whole');
});
