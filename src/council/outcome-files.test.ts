import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readOutOfScope, readRejected } from '../../test/outcome-readers.ts';
import { candidates, entries, fullQuorum, voter } from '../../test/review-fixtures.ts';
import type { VoteToken } from '../base/schema/judgements/review.ts';
import {
  acceptedFindings,
  designSummary,
  handOffEntries,
  localOnly,
  outOfScopeEntries,
  readAccepted,
  rejectedFindings,
  renderAccepted,
  renderOutOfScope,
  renderRejected,
} from './outcome-files.ts';
import { mergeCandidates } from './review.ts';
import { tally } from './tally.ts';
import { type Quorum, quorumOf } from './vote.ts';

const usual = [
  'plan.txt',
  'voting-tally.md',
  'oos.md',
  'codex-sketch-edge-output.txt',
  'codex-judge-output.txt',
  'debate-1-thesis-output.txt',
];
const writings = ['ballot.txt', 'ballot-2.txt', 'codex-plan-edge-output.txt', 'codex-vote-output.txt'];

test('L-694 what was written about a held observation stays local with it; without one nothing does', () => {
  expect(localOnly([...usual, ...writings])).toEqual([]);
  expect(localOnly([...usual, ...writings, 'oos-security-local.md'])).toEqual([
    ...writings,
    'oos-security-local.md',
  ]);
});

const votes = fc.constantFrom<VoteToken | undefined>('YES', 'NO', 'EXONERATE', undefined);
const anyQuorum: fc.Arbitrary<Quorum> = fc
  .array(fc.array(votes, { minLength: 8, maxLength: 8 }), { minLength: 1, maxLength: 4 })
  .map((panel) =>
    quorumOf(
      panel.map((cast, index) =>
        voter(`v${index}`, {
          FINDING_99: 'NO',
          ...Object.fromEntries(cast.map((vote, at) => [`FINDING_${at + 1}`, vote])),
        }),
      ),
    ),
  );

test('L-979 L-690 L-696 accepted and rejected together are all in-scope items, each with a reason, and files are read back', () => {
  fc.assert(
    fc.property(candidates, anyQuorum, (list, quorum) => {
      const all = tally(mergeCandidates(list, undefined).items, quorum);
      const accepted = acceptedFindings(all, {});
      const rejected = rejectedFindings(all, quorum);
      expect(accepted.length + rejected.length).toBe(
        all.filter(({ item }) => item.scope === 'in-scope').length,
      );
      expect(rejected.every(({ reason }) => reason.length > 10)).toBe(true);
      expect(readAccepted(renderAccepted(accepted))).toEqual(accepted);
      expect(readRejected(renderRejected(rejected))).toEqual(rejected);
      const { open, held } = outOfScopeEntries(all);
      expect(open.length + held.length).toBe(all.filter(({ item }) => item.scope === 'out-of-scope').length);
      expect(readOutOfScope(renderOutOfScope(open))).toEqual(open);
    }),
  );
});

test('L-696 panel/C-36 the rejected entry is complete and names its class', () => {
  const text = renderRejected(rejectedFindings(entries, fullQuorum));
  expect(text).toMatch(/^### \[Plan Review\] Codex-Pragmatic\n\*\*Finding\*\*: two/);
  expect(text).toContain('**Reason not implemented**: 0 YES, 3 NO, 0 EXONERATE; 2 YES needed (rejected).');
  expect(text).toContain('Cursor: NO — Cursor on FINDING_2');
  expect(text).toContain('**Class**: rejected');
});

test('L-692 L-693 L-694 L-695 observations: accepted ones are handed off, security ones stay local', () => {
  const { open, held } = outOfScopeEntries(entries);
  expect(open.map(({ id }) => id)).toEqual(['OOS_1']);
  expect(held.map(({ id, outcome }) => [id, outcome])).toEqual([['OOS_2', 'accepted']]);
  expect(renderOutOfScope(handOffEntries(open), { handOff: true })).toBe(`### OOS_1: far
- **Description**: It stays.

  Affected: src/lock.ts:3-3
- **Reviewer**: Cursor-Arch
- **Vote tally**: YES=2, NO=1, EXONERATE=0
- **Phase**: design
`);
});

test('F-35 a caller is handed a bounded number of observations; the file keeps all of them', () => {
  const many = Array.from({ length: 30 }, (_, index) => ({
    id: `OOS_${index + 1}`,
    title: 't',
    description: 'd',
    reviewer: 'r',
    tally: 'YES=3, NO=0, EXONERATE=0',
    outcome: 'accepted' as const,
  }));
  expect(handOffEntries(many)).toHaveLength(10);
  expect(readOutOfScope(renderOutOfScope(many))).toHaveLength(30);
});

test('L-254 the summary counts what the files hold', () => {
  const summary = designSummary(
    {
      accepted: readAccepted(renderAccepted(acceptedFindings(entries, {}))),
      rejected: readRejected(renderRejected(rejectedFindings(entries, fullQuorum))),
      observed: readOutOfScope(renderOutOfScope(outOfScopeEntries(entries).open)),
    },
    true,
  );
  expect(summary.revised_after_review).toBe(true);
  expect(summary.finding_counts).toEqual({
    in_scope_accepted: 1,
    in_scope_rejected: 1,
    oos_accepted: 1,
    oos_rejected: 0,
  });
  expect(JSON.stringify(summary).length).toBeLessThan(2048);
});
