import { expect, test } from 'vitest';
import { featureDirectory } from '../../test/support/feature-directory.ts';
import { runCommandLine } from '../../test/support/run-command-line.ts';
import { isRecord, parseJson } from '../safe-json.ts';

test('tokens report --json has the pinned shape', async () => {
  const { root } = featureDirectory();
  const { exit, out } = await runCommandLine('tokens', 'report', '--corpus', root, '--json');
  const report = parseJson(out, 'stdout');
  expect(exit).toBe(0);
  if (!isRecord(report)) throw new Error('not an object');
  expect(Object.keys(report)).toEqual([
    'features',
    'prd',
    'layouts',
    'loops',
    'sections',
    'histories',
    'basis',
  ]);
  expect(report).toMatchObject({
    features: 1,
    prd: { file: 1, fallback: 0, broken: 0, none: 0 },
    sections: { tasks: 1, referenced: 1, scoped: 1, ambiguous: 0 },
    histories: { entries: 0, lazyLoadWarnings: 0, resumeFallbacks: 0 },
  });
  const number = expect.any(Number);
  expect(report['layouts']).toEqual(
    ['full', 'full-pruned', 'lazy', 'lazy-pruned', 'reference', 'resumed'].map((name) => ({
      name,
      promptChars: number,
      promptTokens: number,
      effectiveTokens: number,
      promptShare: number,
      effectiveShare: number,
    })),
  );
  expect(report['loops']).toContainEqual({
    command: 'specify',
    role: 'spec-reviewer',
    newTokensShare: number,
  });
});

test('as text it shows both shares and says what is estimated', async () => {
  const { root } = featureDirectory();
  const { out } = await runCommandLine('tokens', 'report', '--cwd', root);
  expect(out).toMatch(/^1 features; PRD: 1 own file/);
  expect(out).toMatch(/full +\d+ +\d+ +\d+ +100\.0 % +100\.0 %/);
  expect(out).toContain('effectiveTokens: estimated');
});

test('a folder without features and a command without a verb are errors', async () => {
  const { root } = featureDirectory();
  expect(await runCommandLine('tokens', 'report', '--corpus', `${root}/.git`)).toMatchObject({
    exit: 4,
    out: '',
  });
  expect(await runCommandLine('tokens')).toMatchObject({ exit: 2 });
});
