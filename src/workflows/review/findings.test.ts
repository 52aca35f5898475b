import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChangeFinding } from '../../base/schema/judgements/change-review.ts';
import type { Snapshot } from '../../repo/index/snapshot.ts';
import { lookUp } from './earlier.ts';
import { anchorOf, clustersOf, type Evidence, mergeCluster, numbered, type Raised } from './findings.ts';

const patch = `diff --git a/src/sum.ts b/src/sum.ts
--- a/src/sum.ts
+++ b/src/sum.ts
@@ -1,5 +1,5 @@
 export function sum(list: number[]) {
-  let total = 0;
+  let total = 1;
   for (const each of list) total += each;
   return total;
 }
`;

const old =
  'export function sum(list: number[]) {\n  let total = 0;\n  for (const each of list) total += each;\n  return total;\n}\n';
const now = old.replace('= 0', '= 1');

function snapshotOf(files: Record<string, string>): Snapshot {
  const read = Object.entries(files).map(([path, text]) => ({ path, oid: '', size: text.length, text }));
  return { commit: '', files: read, skipped: [], history: [] };
}

const other = 'export const untouched = 1;\n';
const evidence: Evidence = {
  files: [{ path: 'src/sum.ts', oldPath: 'src/sum.ts', patch, digest: '' }],
  before: snapshotOf({ 'src/sum.ts': old, 'src/other.ts': other }),
  after: snapshotOf({ 'src/sum.ts': now, 'src/other.ts': other }),
  isDocument: false,
};

const finding = (more: Partial<ChangeFinding> = {}): ChangeFinding => ({
  ...{ title: 'Starts at one', category: 'correctness', severity: 'blocking' },
  ...{ claim: 'The sum begins with 1.', consequence: 'Every total is wrong.' },
  ...{ path: 'src/sum.ts', startLine: 2, endLine: 2, side: 'new', quote: 'let total = 1;' },
  ...{ suggestion: null, confidence: 90 },
  ...more,
});

const raise = (more: Partial<Raised> = {}): Raised => ({
  ...finding(more),
  ...{ id: 'ITEM_1', reviewer: 'One-Generic', agent: 'one' },
  ...more,
});

test('R-006 a quote is found whatever its white space, and lines move to it', () => {
  const at = { path: 'src/sum.ts', startLine: 2, endLine: 2, side: 'new', preExisting: false, symbol: 'sum' };
  expect(anchorOf(finding({ quote: '  let   total = 1;' }), evidence)).toEqual({ ...at, evidence: 'found' });
  expect(anchorOf(finding({ startLine: 40, endLine: 41 }), evidence)).toEqual({ ...at, evidence: 'moved' });
  expect(anchorOf(finding({ quote: '+  let total = 1;' }), evidence)).toEqual({ ...at, evidence: 'found' });
});

test('R-006 a deleted line is found in the old version, whichever side was named', () => {
  for (const side of ['new', 'old'] as const)
    expect(anchorOf(finding({ side, quote: 'let total = 0;' }), evidence)).toMatchObject({
      ...{ side: 'old', startLine: 2, evidence: 'found', preExisting: false },
    });
});

test('R-006 the diff says whether code was there before, not the reviewer', () => {
  const untouched = finding({ path: 'src/other.ts', startLine: 1, endLine: 1, quote: other.trim() });
  expect(anchorOf(untouched, evidence).preExisting).toBe(true);
  const below = finding({ startLine: 4, endLine: 4, quote: 'return total;' });
  expect(anchorOf(below, evidence).preExisting).toBe(true);
});

test.each([['a text that is nowhere'], ['}'], ['  ']])(
  'R-006 a finding with the quote %j is unanchored, and never blocking',
  (quote) => {
    const merged = mergeCluster([raise({ quote })], evidence);
    expect(merged).toMatchObject({ evidence: 'unanchored', severity: 'minor', confidence: 50 });
  },
);

test('R-005 one defect keeps the highest severity and every source', () => {
  const vague = raise({ quote: 'nowhere at all', severity: 'major', title: 'Wrong sum' });
  const exact = raise({ id: 'ITEM_2', severity: 'minor', reviewer: 'Two-Generic', agent: 'two' });
  const merged = mergeCluster([vague, exact], evidence);
  expect(merged).toMatchObject({ title: 'Starts at one', severity: 'major', evidence: 'found' });
  expect(merged.sources.map(({ reviewer, severity }) => [reviewer, severity])).toEqual([
    ['One-Generic', 'major'],
    ['Two-Generic', 'minor'],
  ]);
});

test('R-005 a defect is of older code only when every member is', () => {
  const older = raise({
    startLine: 4,
    endLine: 4,
    quote: 'return total;',
    claim: 'Longer than the other claim.',
  });
  expect(mergeCluster([older], evidence).preExisting).toBe(true);
  expect(mergeCluster([older, raise()], evidence).preExisting).toBe(false);
});

test('R-006 a quote is in the named file, on the other side, before it is in another file', () => {
  const after = snapshotOf({ 'src/sum.ts': now, 'src/copy.ts': 'let total = 0;\n' });
  expect(anchorOf(finding({ quote: 'let total = 0;' }), { ...evidence, after })).toMatchObject({
    ...{ path: 'src/sum.ts', side: 'old', evidence: 'found', preExisting: false },
  });
});

test('R-013 what a change deleted is missing until it is back; what it added is there until it is gone', () => {
  const earlier = (more: Partial<ChangeFinding>) => {
    const votes = { yes: 2, no: 0, missing: 0 };
    const merged = { ...mergeCluster([raise(more)], evidence), id: 'FINDING_1', votes };
    return { ...merged, verdict: 'accepted' as const };
  };
  const deleted = earlier({ side: 'old', quote: 'let total = 0;' });
  const later = { ...evidence, files: [], before: evidence.after };
  expect(lookUp(deleted, later).status).toBe('still there');
  expect(lookUp(deleted, { ...later, after: snapshotOf({ 'src/sum.ts': old }) }).status).toBe('unclear');
  const added = earlier({});
  expect(lookUp(added, later).status).toBe('still there');
  expect(lookUp(added, { ...later, after: snapshotOf({ 'src/sum.ts': `\n${now}` }) })).toMatchObject({
    ...{ status: 'moved', startLine: 3 },
  });
  expect(lookUp(added, { ...later, after: snapshotOf({ 'src/sum.ts': old }) }).status).toBe('unclear');
});

const anyRaised = fc
  .array(
    fc.record({
      title: fc.constantFrom('A', 'B'),
      path: fc.constantFrom('a.ts', 'b.ts'),
      quote: fc.constantFrom('one line', 'one  line', 'other'),
    }),
    { maxLength: 8 },
  )
  .map((all) => all.map((more, index) => raise({ ...more, id: `ITEM_${index + 1}` })));

const anyMerge = fc.record({
  clusters: fc.array(
    fc.record({
      ids: fc.array(
        fc.integer({ min: 1, max: 9 }).map((number) => `ITEM_${number}`),
        { minLength: 1, maxLength: 4 },
      ),
      title: fc.constant(null),
    }),
    { maxLength: 5 },
  ),
});

test('R-005 R-018 whatever a model proposes, groups are a partition, and each is about one file', () => {
  fc.assert(
    fc.property(anyRaised, fc.option(anyMerge, { nil: undefined }), (raised, merge) => {
      const { clusters } = clustersOf(raised, merge);
      const ids = clusters.flat().map(({ id }) => id);
      expect([...ids].sort()).toEqual(raised.map(({ id }) => id).sort());
      for (const cluster of clusters) expect(new Set(cluster.map(({ path }) => path)).size).toBe(1);
    }),
  );
});

test('R-005 a proposal that is a partition is followed; without one only exact duplicates are one', () => {
  const raised = [
    raise(),
    raise({ id: 'ITEM_2', title: 'Begins with one' }),
    raise({ id: 'ITEM_3', quote: 'let  total = 1;' }),
  ];
  const groups = (merge: Parameters<typeof clustersOf>[1]) =>
    clustersOf(raised, merge).clusters.map((cluster) => cluster.map(({ id }) => id));
  expect(groups(undefined)).toEqual([['ITEM_1', 'ITEM_3'], ['ITEM_2']]);
  const all = { clusters: [{ ids: ['ITEM_1', 'ITEM_2', 'ITEM_3'], title: null }] };
  expect(groups(all)).toEqual([['ITEM_1', 'ITEM_2', 'ITEM_3']]);
  const lossy = { clusters: [{ ids: ['ITEM_1'], title: null }] };
  expect(clustersOf(raised, lossy).refused).toContain('would be lost');
});

test('R-011 R-018 a fingerprint survives edits elsewhere and a rename, and tells claims apart', () => {
  const print = (more: Partial<Raised>, facts: Evidence) => mergeCluster([raise(more)], facts).fingerprint;
  const first = print({}, evidence);
  fc.assert(
    fc.property(fc.array(fc.constantFrom('// note', '', 'let spare;'), { maxLength: 9 }), (above) => {
      const text = [...above, now].join('\n');
      const after = snapshotOf({ 'src/sum.ts': text });
      expect(print({ startLine: 2 + above.length, endLine: 2 + above.length }, { ...evidence, after })).toBe(
        first,
      );
    }),
  );
  const files = [{ path: 'lib/sum.ts', oldPath: 'src/sum.ts', patch, digest: '' }];
  expect(
    print({ path: 'lib/sum.ts' }, { ...evidence, files, after: snapshotOf({ 'lib/sum.ts': now }) }),
  ).toBe(first);
  expect(print({ title: 'Never resets' }, evidence)).not.toBe(first);
  expect(print({ quote: 'return total;' }, evidence).split('-')[0]).not.toBe(first.split('-')[0]);
});

test('R-007 the order on the ballot depends on the run, not on who came first', () => {
  const some = ['a', 'b', 'c', 'd', 'e'].map((title) => mergeCluster([raise({ title })], evidence));
  const order = (seed: string, list = some) => numbered(list, seed).map(({ title }) => title);
  expect(order('one', [...some].reverse())).toEqual(order('one'));
  expect(new Set(['one', 'two', 'three', 'four'].map((seed) => order(seed).join())).size).toBeGreaterThan(1);
});
