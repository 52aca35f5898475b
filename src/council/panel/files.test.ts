import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { arbitraryOf } from '../../../test/arbitrary-of.ts';
import { line, prose } from '../../base/schema/primitives.ts';
import { exportFailureWarning, mayRemove } from './closing.ts';
import {
  discussionLimits,
  planRound,
  readDiscussion,
  renderDiscussion,
  resolveAnswer,
} from './discussion.ts';
import {
  heavyArtifacts,
  heavyFailureWarning,
  heavyGate,
  parseHeavyStatus,
  renderHeavyStatus,
} from './heavy-gate.ts';
import { parseKeyValues, renderKeyValues } from './key-values.ts';
import {
  healthFile,
  knownUnhealthy,
  parseSessionEnvironment,
  readSessionEnvironment,
  renderHealth,
} from './session-env.ts';
import { appendLedger, checkTaskKind, markRow, renderTimingRow, timingLedgerPath } from './timing-ledger.ts';
import { renderTokenRow, tokenLedgerName, tokenSessionId, vendorTokenRow } from './token-ledger.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'charrette-panel-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

test('L-180 L-725 panel/C-06 discussion files are read back', () => {
  const point = fc.record({
    title: arbitraryOf(line(100)),
    question: arbitraryOf(line(200)),
    resolution: arbitraryOf(prose(200)),
    source: fc.constantFrom('user' as const, 'codebase' as const),
  });
  fc.assert(
    fc.property(fc.array(point, { maxLength: 5 }), (points) => {
      expect(readDiscussion(renderDiscussion(points))).toEqual(points);
    }),
  );
});

test('L-180 the block has its exact shape', () => {
  expect(
    renderDiscussion([{ title: 'Scope', question: 'Which API?', resolution: 'v2 only', source: 'user' }]),
  ).toBe(
    '### Decision 1: Scope\n- **Question**: Which API?\n- **Resolution**: v2 only\n- **Source**: user\n',
  );
});

const put = { question: 'Which API?', recommended: 'the recommended one', options: [] };

test('L-179 terse answers take the recommendation, real ones stand', () => {
  for (const answer of ['', ' ', 'Sure!', "I don't know", 'idk…', 'OK', 'you decide', 'yes', 'either']) {
    expect(resolveAnswer(answer, put)).toBe('the recommended one');
  }
  expect(resolveAnswer(' no ', put)).toBe('no');
  expect(resolveAnswer('sure, but only for v2', put)).toBe('sure, but only for v2');
});

test.each([
  ['yes', { question: 'Shall guests comment?', recommended: 'No', options: [] }, 'yes'],
  ['Y', { question: 'Shall guests comment?', recommended: 'members alone', options: [] }, 'yes'],
  ['yes', { question: 'May guests comment?', recommended: 'No', options: ['Yes, all', 'No'] }, 'yes'],
  ['skip', { question: 'Skip or refuse a bad row?', recommended: 'refuse', options: [] }, 'skip'],
  ['default', { question: 'Which theme?', recommended: 'dark', options: ['Default', 'dark'] }, 'Default'],
  ['fine', { question: 'Which grain?', recommended: 'coarse', options: ['fine', 'coarse'] }, 'fine'],
  ['either', { question: 'Who may close it?', recommended: 'owner', options: ['owner', 'either'] }, 'either'],
  ['sure', { question: 'Make sure that it is logged?', recommended: 'no', options: [] }, 'no'],
  ['yes', { question: 'In memory or in a file?', recommended: 'memory', options: [] }, 'memory'],
])('L-173, L-179, L-180: what decides a question stands: %s', (answer, asked, resolution) => {
  expect(resolveAnswer(answer, asked)).toBe(resolution);
});

test('L-175 L-177 L-178 L-723 seven questions at most; what the code answers is not asked', () => {
  const points = Array.from({ length: 10 }, (_, index) => ({
    index,
    answeredByCode: index === 0 ? 'src/a.ts:1' : null,
  }));
  const { answered, ask, deferred } = planRound(points);
  expect([answered.length, ask.length, deferred.length]).toEqual([1, 7, 2]);
  expect(discussionLimits.fewestScopeBranches).toBe(2);
});

const sizes = Object.fromEntries([
  ...heavyArtifacts.notEmpty.map((name) => [name, 5]),
  ...heavyArtifacts.exists.map((name) => [name, 0]),
]);

test('L-254 L-255 L-256 L-257 L-259 F-01 F-02 F-03 L-976 the gate wants the status line and every artifact', () => {
  expect(heavyGate('DESIGN_HEAVY=complete\nDESIGN_SUMMARY_FILE=x', sizes)).toEqual({ status: 'complete' });
  const yielded = { status: 'failed', reason: 'worker-yielded-without-artifacts' };
  for (const words of [
    '',
    'All done! The plan is ready.',
    'DESIGN_HEAVY=maybe',
    'I say DESIGN_HEAVY=complete',
  ]) {
    expect(heavyGate(words, sizes)).toEqual(yielded);
  }
  for (const name of Object.keys(sizes)) {
    const { [name]: _, ...rest } = sizes;
    expect(heavyGate('DESIGN_HEAVY=complete', rest)).toEqual(yielded);
  }
  for (const name of heavyArtifacts.notEmpty) {
    expect(heavyGate('DESIGN_HEAVY=complete', { ...sizes, [name]: 0 })).toEqual(yielded);
  }
  expect(heavyGate('DESIGN_HEAVY=failed REASON=dirty-tree', sizes)).toEqual({
    status: 'failed',
    reason: 'dirty-tree',
  });
});

test('panel/C-08 the resolutions file belongs to what must exist', () => {
  expect(heavyArtifacts.exists).toContain('dialectic-resolutions.md');
});

test('L-253 L-260 L-261 L-263 L-264 status line, next step, warnings', () => {
  const failed = { status: 'failed' as const, reason: 'dirty-tree' };
  expect(parseHeavyStatus(renderHeavyStatus(failed))).toEqual(failed);
  expect(heavyFailureWarning('x', false, 'D')).toBe(
    '**⚠ 2a: sketches — heavy worker subagent failed: x. Preserving D for inspection.**',
  );
  expect(heavyFailureWarning('x', true, 'D')).toContain('MANIFEST_FAILED');
  expect(heavyFailureWarning('x', true, 'D', { number: '1.', path: 'design plan' })).toMatch(
    /^\*\*⚠ 1\.2a: design plan \| sketches — heavy worker/,
  );
});

test('L-842 the warning of a failed export', () => {
  expect(exportFailureWarning('D', { number: '1.', path: 'design plan' })).toMatch(
    /^\*\*⚠ 1\.5: design plan \| cleanup — design manifest export failed/,
  );
  expect(exportFailureWarning('D')).toBe(
    '**⚠ 5: cleanup — design manifest export failed. Parent /implement will rerun /design. Preserving D for inspection.**',
  );
});

test('L-844 F-29 only what lies inside a known root is removed', () => {
  const roots = ['/tmp', '/home/a/.cache/charrette'];
  expect(['/tmp/x', '/home/a/.cache/charrette/s1'].map((directory) => mayRemove(directory, roots))).toEqual([
    true,
    true,
  ]);
  expect(
    ['', '/tmp', '/', '/home/a', '/tmpx/y', 'tmp/x', '/tmp/../home'].map((directory) =>
      mayRemove(directory, roots),
    ),
  ).toEqual(Array.from({ length: 7 }, () => false));
});

test('F-33 L-127 values keep their further equal signs', () => {
  expect(
    parseKeyValues('A=b=c\r\n# B=1\n\nnoise\n=x\nCURSOR_PROBE_ERROR=a=b').get('CURSOR_PROBE_ERROR'),
  ).toBe('a=b');
  expect([...parseKeyValues('A=b=c\n# B=1\nnoise\n=x')]).toEqual([['A', 'b=c']]);
});

test('F-10 no value can become a second line', () => {
  expect(() => renderKeyValues([['A', 'x\nB=1']])).toThrow(/control characters/);
  expect(() => renderKeyValues([['a b', 'x']])).toThrow(/no key/);
  expect(renderKeyValues([['A', 'x=y']])).toBe('A=x=y\n');
});

test('L-007 L-114 L-115 L-883 L-910 session environment: known keys, never evaluated, missing file is empty', async () => {
  expect(parseSessionEnvironment('REPO=$(rm -rf x)\nEVIL=1\nCODEX_HEALTHY=false')).toEqual({
    REPO: '$(rm -rf x)',
    CODEX_HEALTHY: 'false',
  });
  expect(await readSessionEnvironment('')).toEqual({});
  expect(await readSessionEnvironment(path.join(root, 'none'))).toEqual({});
  const file = path.join(root, 'session.env');
  await writeFile(file, '# of the caller\nREPO=a/b\nCURSOR_HEALTHY=true\n');
  expect(await readSessionEnvironment(file)).toEqual({ REPO: 'a/b', CURSOR_HEALTHY: 'true' });
  expect(knownUnhealthy({ CODEX_HEALTHY: 'false', CURSOR_HEALTHY: 'true', SLACK_OK: 'false' })).toEqual([
    'codex',
  ]);
});

test('L-128 L-978 F-11 the health file: unknown is false', () => {
  expect(
    renderHealth({
      codex: { available: true, healthy: true },
      cursor: undefined,
      gone: { available: false, healthy: true },
    }),
  ).toBe('CODEX_HEALTHY=true\nCURSOR_HEALTHY=false\nGONE_HEALTHY=false\n');
  expect(healthFile('/a/env')).toBe('/a/env.health');
});

test('L-871 rows of the timing ledger have thirteen cells, whatever stands in one', () => {
  const row = {
    type: 'vendor' as const,
    epochSeconds: 1_700_000_000,
    skill: 'design',
    step: 'a\tb\nc',
    vendor: 'cursor',
    taskKind: 'cursor-sketch-arch',
    startSeconds: 10,
    endSeconds: 70,
    output: '/tmp/x/cursor-sketch-arch-output.txt',
    exitCode: 0,
    extra: 'complete',
  };
  const text = renderTimingRow(row);
  expect(text).toBe(
    'v1\tvendor\t1700000000\tdesign\ta b c\tcursor\tcursor-sketch-arch\t10\t70\t60\tcursor-sketch-arch-output.txt\t0\tcomplete\n',
  );
  expect(renderTimingRow(markRow('2a.5', new Date(5000)))).toBe(
    'v1\tmark\t5\tdesign\tdesign Step 2a.5 — dialectic\t-\t-\t-\t-\t-\t-\t-\t-\n',
  );
});

test('L-873 the ledger is private, shared under a lock, and takes the same rows once', async () => {
  const file = path.join(root, 'timing-ledger.tsv');
  const rows = (['0', '1', '2a', '3'] as const).map((step) => renderTimingRow(markRow(step, new Date(0))));
  await Promise.all([...rows, ...rows].map((row) => appendLedger(file, row)));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readFile(file, 'utf8')).split('\n').sort()).toEqual(
    [...rows.map((row) => row.trimEnd()), ''].sort(),
  );
  await writeFile(path.join(root, 'plain'), '');
  await expect(appendLedger(path.join(root, 'plain', 'x'), 'row\n')).rejects.toThrow();
});

test('L-872 L-942 marks of a nested run land in the caller’s ledger; given paths stay inside known roots', () => {
  const roots = ['/tmp'];
  expect(timingLedgerPath({ implementDirectory: '/i', runDirectory: '/d', roots })).toBe(
    '/i/timing-ledger.tsv',
  );
  expect(timingLedgerPath({ runDirectory: '/d', roots })).toBe('/d/timing-ledger.tsv');
  expect(timingLedgerPath({ environment: '/tmp/e.tsv', implementDirectory: '/i', roots })).toBe('/tmp/e.tsv');
  for (const environment of ['/etc/passwd', 'e.tsv', '/tmp/../etc/x', '/tmp', '']) {
    expect(timingLedgerPath({ environment, runDirectory: '/d', roots })).toBe('/d/timing-ledger.tsv');
  }
  expect(timingLedgerPath({ roots })).toBeUndefined();
});

test('L-303 L-874 task kinds', () => {
  expect(
    ['cursor-sketch-arch', 'codex-plan-voter', 'gemini-sketch-arch', '--timing', 'A b', ''].map(
      checkTaskKind,
    ),
  ).toEqual(['known', 'known', 'unknown', 'malformed', 'malformed', 'malformed']);
});

test('L-880 L-881 L-882 the token ledger', () => {
  expect(tokenLedgerName('s')).toMatch(/^larch-tokens-[0-9a-f]{64}\.jsonl$/);
  expect(tokenSessionId({ environment: 'e', file: 'f', directory: '/d' })).toBe('e');
  expect(tokenSessionId({ environment: '', file: 'f\n', directory: '/d' })).toBe('f');
  expect(tokenSessionId({ directory: '/d' })).toMatch(/^[0-9a-f]{64}$/);
  const row = vendorTokenRow(
    'claude',
    { inputTokens: 3, outputTokens: 4, cachedInputTokens: 5 },
    'cursor review: free text!',
    9,
  );
  expect(row).toEqual({
    type: 'vendor',
    vendor: 'claude_sub',
    input: 3,
    output: 4,
    cache_read: 5,
    cache_create: 0,
    total: 12,
    raw: 'cursor_review_free_text_',
    ts: 9,
  });
  expect(renderTokenRow(row)).toBe(
    '{"type":"vendor","vendor":"claude_sub","input":3,"output":4,"cache_read":5,"cache_create":0,"total":12,"raw":"cursor_review_free_text_","ts":9}\n',
  );
});
