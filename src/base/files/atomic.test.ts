import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { projectWith } from '../../../test/support/design-project.ts';
import { appendOwnLine, rewriteFileAtomic } from './atomic.ts';

const limit = 1024;

test('a line is added once, on a separate line after a cut one', async () => {
  const folder = path.join(projectWith(), '.charrette');
  const file = path.join(folder, 'features', 'log.jsonl');
  await appendOwnLine(folder, file, 'one', limit);
  await appendOwnLine(folder, file, 'one', limit);
  writeFileSync(file, `${readFileSync(file, 'utf8')}cut`);
  await appendOwnLine(folder, file, 'two', limit);
  expect(readFileSync(file, 'utf8')).toBe('one\ncut\ntwo\n');
});

test.each(['features', 'features/log.jsonl'])('%s as a link out: nothing is written there', async (name) => {
  const outside = projectWith({ 'log.jsonl': 'theirs\n' });
  const folder = path.join(projectWith(), '.charrette');
  mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
  symlinkSync(name === 'features' ? outside : path.join(outside, 'log.jsonl'), path.join(folder, name));
  await expect(
    appendOwnLine(folder, path.join(folder, 'features', 'log.jsonl'), 'ours', limit),
  ).rejects.toMatchObject({ code: 'path-unsafe' });
  expect(readFileSync(path.join(outside, 'log.jsonl'), 'utf8')).toBe('theirs\n');
});

test('a link to a file that is not there yet makes none', async () => {
  const outside = projectWith();
  const folder = projectWith();
  symlinkSync(path.join(outside, 'new'), path.join(folder, 'log.jsonl'));
  await expect(appendOwnLine(folder, path.join(folder, 'log.jsonl'), 'ours', limit)).rejects.toMatchObject({
    code: 'path-unsafe',
  });
});

test('writing a file again removes what a killed attempt at the same file left, and nothing else', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-atomic-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const others = ['.plan.json.0f209408e27f.tmp', '.spec.md.bak', 'spec.md.tmp'];
  for (const name of ['.spec.md.e06228464bdb.tmp', ...others]) writeFileSync(path.join(folder, name), 'half');
  await rewriteFileAtomic(path.join(folder, 'spec.md'), 'whole');
  expect(readdirSync(folder).sort()).toEqual([...others, 'spec.md'].sort());
  expect(readFileSync(path.join(folder, 'spec.md'), 'utf8')).toBe('whole');
});
