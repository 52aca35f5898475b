import { expect, test } from 'vitest';
import type { Seat } from '../../council/council.ts';
import { quorumOf } from '../../council/vote.ts';
import type { Merged } from './findings.ts';
import type { ReviewInputs } from './inputs.ts';
import { annotationsOf, nothingReviewed, renderNothing, renderReview, unmet } from './report.ts';
import { decide, failing, type ReviewFinding, withoutVote } from './verdict.ts';

const merged = (more: Partial<Merged> = {}): Merged => ({
  ...{ id: 'FINDING_1', fingerprint: `${'0'.repeat(16)}-${'0'.repeat(8)}`, security: false },
  ...{ title: 'Starts at one', category: 'correctness', severity: 'major', confidence: 80 },
  ...{ claim: 'The sum begins with 1.', consequence: 'Totals are wrong.', suggestion: null },
  ...{ path: 'src/sum.ts', startLine: 2, endLine: 2, side: 'new', quote: 'let total = 1;', symbol: 'sum' },
  ...{ evidence: 'found', preExisting: false },
  sources: [{ reviewer: 'One-Generic', agent: 'one', severity: 'major', title: 't', claim: 'c' }],
  ...more,
});

const seats: Seat[] = ['one', 'two', 'three'].map((agent) => ({ id: agent, label: agent, agents: [agent] }));

function verdictOf(finding: Merged, votes: Record<string, 'YES' | 'NO'>, voters = seats): string | undefined {
  const ballots = Object.entries(votes).map(([label, vote]) => ({
    label,
    votes: { [finding.id]: { vote, reason: 'r' } },
  }));
  return decide([finding], quorumOf(ballots), voters).findings[0]?.verdict;
}

test('R-007 a finding is accepted by the votes of the panel', () => {
  expect(verdictOf(merged(), { one: 'YES', two: 'YES', three: 'NO' })).toBe('accepted');
  expect(verdictOf(merged(), { one: 'NO', two: 'YES', three: 'NO' })).toBe('unconfirmed');
  expect(verdictOf(merged(), { one: 'NO', two: 'NO', three: 'NO' })).toBe('rejected');
});

test('R-007 no reviewer passes their finding alone while others vote', () => {
  const twice: Seat[] = [
    { id: 'a', label: 'a', agents: ['one'] },
    { id: 'b', label: 'b', agents: ['one'] },
    { id: 'c', label: 'c', agents: ['two'] },
  ];
  expect(verdictOf(merged(), { a: 'YES', b: 'YES', c: 'NO' }, twice)).toBe('unconfirmed');
  const both = merged({ sources: [...merged().sources, { ...merged().sources[0], agent: 'two' } as never] });
  expect(verdictOf(both, { a: 'YES', b: 'YES', c: 'NO' }, twice)).toBe('accepted');
  expect(verdictOf(merged(), { a: 'YES', b: 'YES' }, twice)).toBe('accepted');
});

test('R-007 a vote counts for the agent that gave it, not for the one whose seat it took', () => {
  const ballots = ['one', 'two', 'three'].map((label) => ({
    ...{
      label,
      votes: { FINDING_1: { vote: label === 'three' ? ('NO' as const) : ('YES' as const), reason: 'r' } },
    },
    // Two is used up: one voted for it.
    agent: label === 'two' ? 'one' : label,
  }));
  expect(decide([merged()], quorumOf(ballots), seats).findings[0]?.verdict).toBe('unconfirmed');
});

test('R-007 a severe finding about security with evidence is disputed, never outvoted', () => {
  const no = { one: 'NO', two: 'NO', three: 'NO' } as const;
  expect(verdictOf(merged({ security: true }), no)).toBe('disputed');
  expect(verdictOf(merged({ security: true, evidence: 'unanchored' }), no)).toBe('rejected');
  expect(verdictOf(merged({ security: true, severity: 'minor' }), no)).toBe('rejected');
});

test('R-007 findings that nobody voted on are no result', () => {
  expect(() => decide([merged()], quorumOf([{ label: 'one', votes: {} }]), seats)).toThrow(
    expect.objectContaining({ code: 'no-reviews', retryable: true }),
  );
});

test('R-007 of one agent alone only what it quoted rightly is accepted, and the rule says so', () => {
  const { findings, rule } = withoutVote([merged(), merged({ evidence: 'unanchored' })]);
  expect(findings.map(({ verdict }) => verdict)).toEqual(['accepted', 'unconfirmed']);
  expect(rule).toContain('nobody voted');
});

const standing = (more: Partial<ReviewFinding> = {}): ReviewFinding => ({
  ...merged(),
  ...{ votes: { yes: 2, no: 0, missing: 0 }, verdict: 'accepted' },
  ...more,
});

test('R-010 the bar counts open findings alone', () => {
  const count = (finding: Partial<ReviewFinding>, bar: Parameters<typeof failing>[1]) =>
    failing([standing(finding)], bar).length;
  expect(count({}, 'major')).toBe(1);
  expect(count({}, 'blocking')).toBe(0);
  expect(count({ severity: 'minor' }, 'major')).toBe(0);
  expect(count({ severity: 'minor' }, 'any')).toBe(1);
  expect(count({ severity: 'blocking' }, 'never')).toBe(0);
  expect(count({ verdict: 'disputed' }, 'major')).toBe(1);
  expect(count({ known: 'wont-fix' }, 'major')).toBe(0);
  expect(count({ preExisting: true }, 'major')).toBe(0);
  expect(count({ verdict: 'unconfirmed' }, 'major')).toBe(0);
  expect(count({ severity: 'minor', evidence: 'unanchored' }, 'any')).toBe(0);
});

test('R-008 a report writes out ten findings, the rest are rows, and the verdict comes last', () => {
  const many = Array.from({ length: 13 }, (_, at) =>
    standing({ id: `FINDING_${at + 1}`, title: `Defect ${at}` }),
  );
  const text = renderReview({
    ...{ schemaVersion: 1, run: 'r', failOn: 'major', rule: 'one rule.', reviewers: ['One'] },
    subject: { kind: 'branch', title: 'topic against main', base: 'b', head: 'abcdef' },
    reviewed: [{ path: 'src/sum.ts', digest: '' }],
    leftOut: [{ path: 'yarn.lock', reason: 'lock file' }],
    findings: [
      ...many,
      standing({ severity: 'nit', title: 'A | nit' }),
      standing({ preExisting: true, title: 'Older' }),
      standing({ known: 'accepted', title: 'Dismissed' }),
      standing({ verdict: 'rejected', title: 'Nonsense' }),
    ],
  });
  expect(text.match(/^## major: /gm)).toHaveLength(10);
  const [, table = ''] = text.split('## Further findings');
  expect(table.match(/^\| major /gm)).toHaveLength(4);
  expect(table).toContain('| nit | src/sum.ts:2 | A \\| nit |');
  expect(text).toContain('## In code that the change does not touch');
  expect(text).toContain('Not listed: 1 known from the baseline, 1 rejected by the vote');
  expect(text).not.toMatch(/Dismissed|Nonsense/);
  expect(text).toContain('Not reviewed: yarn.lock (lock file).');
  expect(text.split('## Verdict')[1]?.trim()).toMatch(
    /^13 findings, 13 at or above `major`\.\n\n1\. .*\n(?:.*\n)*10\. .*$/,
  );
});

const subject = { kind: 'branch', title: 'topic against main', base: 'b', head: 'abcdef' } as const;

test('R-013 with nothing new to review, findings of the review before still fail, unless they are known', () => {
  const inputs = (known: ReviewInputs['known'] = []) =>
    ({
      ...{ subject, failOn: 'major', known },
      earlier: { run: 'r', head: 'abc', findings: [standing()] },
    }) as unknown as ReviewInputs;
  const file = nothingReviewed(inputs(), [], '2026-11-20');
  expect(unmet(file)).toBe('1 finding at or above major');
  expect(annotationsOf(file).map(({ line }) => line)).toEqual([2]);
  expect(renderNothing(file)).toContain('- still there: src/sum.ts:2: Starts at one (major) [FINDING_1]');
  const { fingerprint, title } = merged();
  const known = { fingerprint, title, decision: 'wont-fix', reason: 'r', who: '' } as const;
  const decided = nothingReviewed(inputs([known]), [], '2026-11-20');
  expect([unmet(decided), annotationsOf(decided)]).toEqual([undefined, []]);
});

test('R-001 code that was too large to review is no clean result', () => {
  const why = (path: string, reason: 'change too large' | 'lock file') =>
    unmet(
      nothingReviewed(
        { subject, failOn: 'major', known: [] } as unknown as ReviewInputs,
        [{ path, reason }],
        '',
      ),
    );
  expect(why('src/big.ts', 'change too large')).toBe('too large to review: src/big.ts');
  expect(why('big.svg', 'change too large')).toBeUndefined();
  expect(why('yarn.lock', 'lock file')).toBeUndefined();
});
