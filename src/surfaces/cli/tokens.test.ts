import { expect, test } from 'vitest';
import { featureDirectory } from '../../../test/support/feature-directory.ts';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { isRecord, parseJson } from '../../base/safe-json.ts';
import { appendDispatch } from '../../prompts/dispatch-log.ts';

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

test('T-138, T-139: tokens calls shows by role what calls cost, prompt and effective, and rates with alarms', async () => {
  const { root } = featureDirectory();
  expect((await runCommandLine('tokens', 'calls', '--cwd', root)).out).toBe('No recorded calls yet.\n');
  const common = {
    v: 1,
    time: 't',
    feature: '007-search',
    command: 'specify',
    role: 'spec-reviewer',
  } as const;
  const basis = 'counted prompt, estimated reads';
  await appendDispatch(root, {
    ...common,
    iteration: 1,
    kind: 'fresh',
    promptCharacters: 400,
    promptTokens: 100,
    confirmation: 'missing',
    cost: { readTokens: 900, deltaTokens: 0, replayedTokens: 0, cache: 'none', fullTokens: 1000, basis },
  });
  await appendDispatch(root, {
    ...common,
    iteration: 2,
    kind: 'resumed',
    promptCharacters: 400,
    promptTokens: 100,
    cost: { readTokens: 0, deltaTokens: 60, replayedTokens: 1100, cache: 'warm', fullTokens: 1000, basis },
  });
  const { out } = await runCommandLine('tokens', 'calls', '--cwd', root, '--json');
  expect(parseJson(out, 'stdout')).toMatchObject({
    calls: 2,
    roles: [
      { calls: 2, resumed: 1, promptTokens: 200, readTokens: 900, deltaTokens: 60, replayedTokens: 1100 },
    ],
    saving: { fullTokens: 2000, promptShare: 0.1, effectiveShare: 0.55 },
    rates: [{ name: 'lazy-load-warning', count: 1, of: 1, alarm: true }, {}, {}],
  });
  const text = (await runCommandLine('tokens', 'calls', '--cwd', root)).out;
  expect(text).toMatch(/specify spec-reviewer +2 +1 +200 +900 +60 +1100/);
  expect(text).toContain('prompt 10.0 %, effective 55.0 %');
  expect(text).toContain('100.0 %, limit 20.0 %) ALARM');
  expect((await runCommandLine('tokens', 'calls', '--feature', '008', '--cwd', root)).out).toContain(
    'No recorded calls',
  );
});
