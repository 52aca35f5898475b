import { expect, test } from 'vitest';
import { entries, fullQuorum } from '../../../test/review-fixtures.ts';
import { designSummary } from './design-summary.ts';
import {
  acceptedFindings,
  outOfScopeEntries,
  rejectedFindings,
  renderAccepted,
  renderOutOfScope,
  renderRejected,
} from './outcome-files.ts';

test('L-254 the summary counts what the files hold', () => {
  const summary = designSummary(
    { plan: 'plan.txt', tally: 'voting-tally.md' },
    {
      accepted: renderAccepted(acceptedFindings(entries, {})),
      rejected: renderRejected(rejectedFindings(entries, fullQuorum)),
      outOfScope: renderOutOfScope(outOfScopeEntries(entries).open),
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
