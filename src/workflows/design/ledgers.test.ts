import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stepOrder } from '../../council/breadcrumbs.ts';
import {
  appendLedger,
  checkTaskKind,
  markRow,
  renderTimingRow,
  renderTokenRow,
  timingLabel,
  timingLedgerPath,
  tokenLabel,
  tokenLedgerName,
  tokenSessionId,
  vendorTokenRow,
} from './ledgers.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'charrette-panel-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

test('L-871 rows of the timing ledger have thirteen cells, whatever one holds', () => {
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
  const pathFor = (given?: string) => timingLedgerPath(given, '/i', ['/tmp']);
  expect(pathFor()).toBe('/i/timing-ledger.tsv');
  expect(pathFor('/tmp/e.tsv')).toBe('/tmp/e.tsv');
  for (const given of ['/etc/passwd', 'e.tsv', '/tmp/../etc/x', '/tmp', ''])
    expect(pathFor(given)).toBe('/i/timing-ledger.tsv');
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

test('L-870 the labels of the marks', () => {
  expect(stepOrder.map((step) => timingLabel(step))).toEqual([
    'design Step 0 — session setup',
    'design Step 1 — branch',
    'design Step 1c — questions',
    'design Step 1d — discussion r1',
    'design Step 2a — sketches',
    'design Step 2a.5 — dialectic',
    'design Step 2b — plan',
    'design Step 3 — plan review',
    'design Step 3.5 — discussion r2',
    'design Step 3b — arch diagram',
    'design Step 4 — rejected findings',
    'design Step 5 — cleanup',
  ]);
});

test('L-580 L-720 L-740 three steps also mark the tokens', () => {
  expect(
    Object.fromEntries(
      stepOrder.flatMap((step) => (tokenLabel(step) === undefined ? [] : [[step, tokenLabel(step)]])),
    ),
  ).toEqual({
    '3': 'Step 1 — design Step 3 plan review',
    '3.5': 'Step 1 — design Step 3.5 discussion r2',
    '3b': 'Step 1 — design Step 3b arch diagram',
  });
});
