import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryOf } from '../../test/arbitrary-of.ts';
import { type Finding, findingSchema } from '../schema/judgements/finding.ts';
import type { VoteToken } from '../schema/judgements/vote.ts';
import { line, prose } from '../schema/primitives.ts';
import { buildReviewBallot, readBallotItems } from './ballot.ts';
import { designSummary } from './design-summary.ts';
import { isCurrent, planDigest } from './digest.ts';
import { evidenceMarks, numberCandidates, type RaisedFinding, type ReviewItem } from './items.ts';
import { mergeCandidates, partitionProblem } from './merge.ts';
import {
  acceptedFindings,
  handOffEntries,
  outOfScopeEntries,
  readAccepted,
  readOutOfScope,
  readRejected,
  rejectedFindings,
  renderAccepted,
  renderOutOfScope,
  renderRejected,
} from './outcome-files.ts';
import { degradedWarning, type Quorum, quorumOf, type VoterBallot, voterWarning } from './quorum.ts';
import { nextRound, reviewersForNextRound } from './rounds.ts';
import { scoreboard } from './scoreboard.ts';
import { tally } from './tally.ts';
import { readTally, renderTally, renderTallyStub } from './tally-file.ts';
import { readVotes, votesOf, withRepair } from './votes.ts';

const finding: Finding = {
  title: 'Lock is never released',
  focusArea: 'correctness',
  severity: 'Nit',
  concern: 'It stays.',
  suggestedRevision: 'Release it.',
  citations: [{ file: 'src/lock.ts', line: 3, endLine: null, quote: null }],
  outOfScope: false,
};

const raised = (reviewer: string, more: Partial<RaisedFinding> = {}): RaisedFinding => ({
  ...finding,
  reviewer,
  seat: reviewer,
  evidence: 'found',
  ...more,
});

const candidates = fc
  .array(
    fc.tuple(
      arbitraryOf(findingSchema),
      fc.constantFrom('Cursor-Arch', 'Cursor-Edge', 'Code'),
      fc.constantFrom(...evidenceMarks),
    ),
    { maxLength: 8 },
  )
  .map((list) =>
    numberCandidates(
      list.map(([each, reviewer, evidence]) => ({ ...each, reviewer, seat: reviewer, evidence })),
    ),
  );

test('panel/C-32 F-22 a merge answer that is no partition merges nothing and loses nothing', () => {
  const three = numberCandidates([
    raised('a'),
    raised('b', { title: 'Other' }),
    raised('c', { outOfScope: true }),
  ]);
  for (const clusters of [
    [{ ids: ['ITEM_1', 'ITEM_2'], title: null }],
    [{ ids: ['ITEM_1', 'ITEM_2', 'ITEM_3', 'ITEM_3'], title: null }],
    [{ ids: ['ITEM_1', 'ITEM_2', 'ITEM_3', 'ITEM_9'], title: null }],
    [],
  ]) {
    const result = mergeCandidates(three, { clusters });
    expect(result.items.map(({ id }) => id)).toEqual(['FINDING_1', 'FINDING_2', 'OOS_1']);
    expect(result.refused).toBeTruthy();
  }
});

test('panel/C-32 every finding is in exactly one item, whatever the merge answer', () => {
  const merge = fc.record({
    clusters: fc.array(
      fc.record({
        ids: fc.array(
          fc.integer({ min: 1, max: 9 }).map((n) => `ITEM_${n}`),
          { minLength: 1, maxLength: 4 },
        ),
        title: fc.constant(null),
      }),
      { maxLength: 5 },
    ),
  });
  fc.assert(
    fc.property(candidates, fc.option(merge, { nil: undefined }), (list, answer) => {
      const { items } = mergeCandidates(list, answer);
      for (const candidate of list) {
        const holding = items.filter(
          ({ concern, proposers }) =>
            concern.includes(candidate.concern) && proposers.includes(candidate.reviewer),
        );
        expect(holding.length).toBeGreaterThan(0);
      }
      expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
      if (!answer || partitionProblem(list, answer)) expect(items).toHaveLength(list.length);
    }),
  );
});

test('L-592 L-593 a cluster keeps all proposers, concerns and places; in-scope wins over out-of-scope', () => {
  const list = numberCandidates([
    raised('a', { outOfScope: true, concern: 'seen from a', evidence: 'missing' }),
    raised('b', {
      concern: 'seen from b',
      severity: 'Important',
      citations: [{ file: 'x.ts', line: 1, endLine: null, quote: null }],
    }),
    raised('b', { title: 'Alone' }),
  ]);
  const { items, refused } = mergeCandidates(list, {
    clusters: [
      { ids: ['ITEM_3'], title: 'ignored for a single finding' },
      { ids: ['ITEM_2', 'ITEM_1'], title: 'Lock stays' },
    ],
  });
  expect(refused).toBeUndefined();
  expect(items.map(({ id, title }) => [id, title])).toEqual([
    ['FINDING_1', 'Lock stays'],
    ['FINDING_2', 'Alone'],
  ]);
  expect(items[0]).toMatchObject({
    scope: 'in-scope',
    severity: 'Important',
    concern: 'seen from b\n\nseen from a',
    proposers: ['b', 'a'],
    evidence: 'found',
  });
  expect(items[0]?.citations).toHaveLength(2);
});

test('ids of a second round go on after those of the first', () => {
  const first = mergeCandidates(
    numberCandidates([raised('a'), raised('b', { outOfScope: true })]),
    undefined,
  ).items;
  const second = mergeCandidates(
    numberCandidates([raised('a'), raised('b', { outOfScope: true })]),
    undefined,
    first,
  ).items;
  expect([...first, ...second].map(({ id }) => id)).toEqual(['FINDING_1', 'OOS_1', 'FINDING_2', 'OOS_2']);
});

const items = mergeCandidates(
  numberCandidates([
    raised('Cursor-Arch', { title: 'one' }),
    raised('Codex-Pragmatic', { title: 'two', concern: 'As Codex I worry.' }),
    raised('Cursor-Arch', { title: 'far', outOfScope: true }),
    raised('Code', { title: 'leak', outOfScope: true, focusArea: 'security' }),
  ]),
  undefined,
).items;
const ids = items.map(({ id }) => id);

test('panel/C-34 L-633 L-634 the ballot hides who raised what and keeps the map aside', () => {
  const { text, proposers } = buildReviewBallot(items);
  expect(text).not.toMatch(/cursor|codex/i);
  expect(text).not.toContain('- **Reviewer**: Code\n');
  expect(proposers).toEqual({
    'Reviewer A': 'Cursor-Arch',
    'Reviewer B': 'Codex-Pragmatic',
    'Reviewer C': 'Code',
  });
  expect(readBallotItems(text)).toEqual([
    { id: 'FINDING_1', title: 'one' },
    { id: 'FINDING_2', title: 'two' },
    { id: 'OOS_1', title: 'far' },
    { id: 'OOS_2', title: 'leak' },
  ]);
});

test('panel/C-34 hiding names leaves the words of the code alone', () => {
  const [item] = items;
  if (!item) throw new Error('no item');
  const spoken = {
    ...item,
    proposers: ['Code', 'Cursor-Arch'],
    concern: 'Cursor-Arch says: the code moves the cursor twice, as Claude saw.',
  };
  expect(buildReviewBallot([spoken]).text).toContain(
    '[agent] says: the code moves the cursor twice, as [agent] saw.',
  );
});

test('L-637 the ballot offers the third vote only when it exists', () => {
  expect(buildReviewBallot(items).text).toContain('ID: YES|NO|EXONERATE — reason');
  expect(buildReviewBallot(items, { exonerate: false }).text).not.toContain('EXONERATE');
});

test('L-638 panel/C-21 F-21 valid votes count, missing ones are named and can be repaired once', () => {
  const first = readVotes('FINDING_1: YES — a\nFINDING_2: perhaps\nFINDING_9: NO', ids);
  expect(first.votes).toEqual({ FINDING_1: { vote: 'YES', reason: 'a' } });
  expect(first.missing).toEqual(['FINDING_2', 'OOS_1', 'OOS_2']);
  const repaired = withRepair(
    first,
    readVotes('FINDING_1: NO\nFINDING_2: NO — b\nOOS_1: YES\nOOS_2: NO', ids),
  );
  expect(repaired.missing).toEqual([]);
  expect(repaired.votes['FINDING_1']?.vote).toBe('YES');
});

test('without the third vote a stray EXONERATE is a NO', () => {
  const reading = votesOf({ votes: [{ id: 'FINDING_1', vote: 'EXONERATE', reason: 'r' }] }, ids, {
    exonerate: false,
  });
  expect(reading.votes['FINDING_1']?.vote).toBe('NO');
});

const voter = (label: string, votes?: Partial<Record<string, VoteToken>>): VoterBallot => ({
  label,
  votes:
    votes &&
    Object.fromEntries(
      Object.entries(votes).flatMap(([id, vote]) =>
        vote ? [[id, { vote, reason: `${label} on ${id}` }]] : [],
      ),
    ),
  ...(votes ? {} : { failure: 'timed out after 20m' }),
});

test.each([
  [3, 'panel', 2],
  [2, 'pair', 2],
  [1, 'single', 1],
  [0, 'none', undefined],
  [5, 'panel', 3],
] as const)('L-640 panel/C-20 %i voters: %s', (count, tier, needed) => {
  const ballots = Array.from({ length: count }, (_, index) => voter(`v${index}`, { FINDING_1: 'NO' }));
  const quorum = quorumOf([...ballots, voter('gone'), voter('blank', {})]);
  expect([quorum.tier, quorum.needed]).toEqual([tier, needed]);
});

test('F-19 nobody voting accepts nothing: somebody must adjudicate', () => {
  const quorum = quorumOf([voter('Claude'), voter('Codex'), voter('Cursor')]);
  expect(quorum.rule).toContain('main-agent-vote-required');
  const undecided = tally(items, quorum);
  expect(undecided.map(({ outcome }) => outcome)).toEqual(items.map(() => 'neutral'));
  expect(acceptedFindings(undecided, {})).toEqual([]);
  expect(rejectedFindings(undecided, quorum)[0]?.reason).toContain('no voter answered');
});

test('L-639 L-642 failed voters are named, with the rule that applies', () => {
  const quorum = quorumOf([
    voter('Claude', { FINDING_1: 'YES' }),
    voter('Codex', { FINDING_1: 'YES' }),
    voter('Cursor'),
  ]);
  expect(degradedWarning(quorum)).toBe(
    '**⚠ Degraded voting panel: missing Cursor (timed out after 20m). Rule: two voters answered: both must say YES.**',
  );
  expect(voterWarning(voter('Cursor'), quorum.eligible)).toBe(
    '**⚠ Cursor voter failed — timed out after 20m. Proceeding with 2 voters (Claude, Codex).**',
  );
  expect(degradedWarning(quorumOf([voter('Claude', { FINDING_1: 'YES' })]))).toBeUndefined();
});

const outcomeFor = (...votes: (VoteToken | undefined)[]) => {
  const quorum = quorumOf(
    votes.map((vote, index) => voter(`v${index}`, { FINDING_1: vote, FINDING_2: 'NO' })),
  );
  return tally(items.slice(0, 1), quorum)[0]?.outcome;
};

test.each([
  [['YES', 'YES', 'NO'], 'accepted'],
  [['YES', 'NO', 'EXONERATE'], 'neutral'],
  [['NO', 'NO', 'EXONERATE'], 'exonerated'],
  [['NO', 'NO', 'NO'], 'rejected'],
  [['YES', 'YES'], 'accepted'],
  [['YES', 'NO'], 'neutral'],
  [['YES'], 'accepted'],
  [['EXONERATE'], 'exonerated'],
] as const)('L-650 %j is %s', (votes, outcome) => {
  expect(outcomeFor(...votes)).toBe(outcome);
});

test('panel/C-21 L-641 a missing line never lowers the bar, and silence rejects nothing', () => {
  expect(outcomeFor('YES', undefined, undefined)).toBe('neutral');
  expect(outcomeFor('YES', 'YES', undefined)).toBe('accepted');
  expect(outcomeFor(undefined, undefined, undefined)).toBe('neutral');
  expect(outcomeFor('NO', undefined, undefined)).toBe('rejected');
});

const fullQuorum = quorumOf([
  voter('Claude', { FINDING_1: 'YES', FINDING_2: 'NO', OOS_1: 'YES', OOS_2: 'YES' }),
  voter('Codex', { FINDING_1: 'YES', FINDING_2: 'NO', OOS_1: 'YES', OOS_2: 'YES' }),
  voter('Cursor', { FINDING_1: 'NO', FINDING_2: 'NO', OOS_1: 'NO' }),
]);
const entries = tally(items, fullQuorum);

test('L-651 L-652 the scoreboard has a row for everybody, merged credit and signs', () => {
  const rows = scoreboard(entries, ['Cursor-Arch', 'Cursor-Edge', 'Codex-Pragmatic', 'Code']);
  expect(rows.map(({ reviewer, score }) => [reviewer, score])).toEqual([
    ['Cursor-Arch', 2],
    ['Cursor-Edge', 0],
    ['Codex-Pragmatic', -1],
    ['Code', 1],
  ]);
  const loser = tally(items.slice(2, 3), quorumOf([voter('a', { OOS_1: 'NO' })]));
  expect(scoreboard(loser, [])[0]?.score).toBe(0);
  expect(scoreboard(loser, [], 'symmetric')[0]?.score).toBe(-1);
});

test('L-653 F-41 the tally file keeps fixed voter labels and is read back', () => {
  const scores = scoreboard(entries, ['Cursor-Edge']);
  const text = renderTally(entries, fullQuorum, scores, 'sha256:ab');
  expect(text).toContain('| Item | Title | Claude | Codex | Cursor | YES | NO | EXONERATE | Outcome |');
  expect(text).toContain(
    '| Reviewer | Findings | Accepted | Neutral (1 YES) | Exonerated (0 YES, 1+ EXON.) | Rejected (0 YES, 0 EXON.) | OOS Proposed | OOS Accepted | Score |',
  );
  expect(text).toContain('| Cursor-Arch | 1 | 1 | 0 | 0 | 0 | 1 | 1 | +2 |');
  const read = readTally(text);
  expect(read.planDigest).toBe('sha256:ab');
  expect(read.scores).toEqual(scores);
  expect(read.items).toEqual(
    entries.map(({ item, votes, outcome }) => ({
      id: item.id,
      title: item.title,
      votes: votes.map(({ voter: name, vote }) => ({ voter: name, vote })),
      outcome,
    })),
  );
});

test('L-653 titles with pipes and backslashes survive the table', () => {
  fc.assert(
    fc.property(arbitraryOf(line(200)), (title) => {
      const [item] = items;
      if (!item) throw new Error('no item');
      const text = renderTally(tally([{ ...item, title }], fullQuorum), fullQuorum, [], 'sha256:ab');
      expect(readTally(text).items[0]?.title).toBe(title);
    }),
  );
});

test('L-595 panel/C-18 a tally exists and says so when there was nothing to vote on', () => {
  const text = renderTallyStub(
    'No findings were raised; nothing was voted on.',
    'sha256:ab',
    scoreboard([], ['Cursor-Arch']),
  );
  expect(text).toContain('No findings were raised');
  expect(text).toContain('| Cursor-Arch | 0 |');
  expect(readTally(text).items).toEqual([]);
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

test('a verdict on another version of the plan is not current', () => {
  fc.assert(
    fc.property(arbitraryOf(prose(300)), (plan) => {
      expect(isCurrent(planDigest(plan), `${plan}\n`)).toBe(true);
      expect(isCurrent(planDigest(plan), `${plan}!`)).toBe(false);
    }),
  );
});

test('a second round happens only when the first one changed the plan, and stops when it brings nothing new', () => {
  const round = (of: typeof entries, earlier: ReviewItem[] = [], number = 1, rounds = 2) =>
    nextRound({ round: number, rounds, entries: of, earlier }).again;
  expect(round(entries)).toBe(true);
  expect(round(entries, [], 1, 1)).toBe(false);
  expect(round(entries, [], 2, 9)).toBe(false);
  expect(round(entries, items)).toBe(false);
  expect(round(entries.filter(({ outcome }) => outcome !== 'accepted'))).toBe(false);
  expect(reviewersForNextRound(scoreboard(entries, ['Cursor-Edge']))).toEqual(['Cursor-Arch']);
  expect(reviewersForNextRound(scoreboard([], ['a', 'b']))).toEqual(['a', 'b']);
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
    { plan: 'plan.txt', tally: 'voting-tally.md' },
    {
      accepted: renderAccepted(acceptedFindings(entries, {})),
      rejected: renderRejected(rejectedFindings(entries, fullQuorum)),
      outOfScope: renderOutOfScope(outOfScopeEntries(entries).open),
    },
  );
  expect(summary.finding_counts).toEqual({
    in_scope_accepted: 1,
    in_scope_rejected: 1,
    oos_accepted: 1,
    oos_rejected: 0,
  });
  expect(JSON.stringify(summary).length).toBeLessThan(2048);
});
