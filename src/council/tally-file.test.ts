import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryOf } from '../../test/arbitrary-of.ts';
import { entries, fullQuorum, items } from '../../test/review-fixtures.ts';
import { line, prose } from '../base/schema/primitives.ts';
import {
  planDigest,
  readTally,
  renderTally,
  renderTallyOfRounds,
  renderTallyStub,
  scoreboard,
  tally,
} from './tally.ts';

test('the digest names the version of a plan; line ends are none', () => {
  fc.assert(
    fc.property(arbitraryOf(prose(300)), (plan) => {
      expect(planDigest(`${plan}\n`)).toBe(planDigest(plan));
      expect(planDigest(`${plan}!`)).not.toBe(planDigest(plan));
    }),
  );
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
      // L-694: of a security observation the tally says no more than that there was one.
      title: item.security ? '(about security, kept local)' : item.title,
      votes: votes.map(({ voter: name, vote }) => ({ voter: name, vote })),
      outcome,
    })),
  );
});

test('L-653 after a second round the tally holds both: every item, everybody who voted in either', () => {
  const pair = { ...fullQuorum, eligible: fullQuorum.eligible.slice(0, 2), rule: 'two voters answered' };
  const later = tally(
    items.slice(0, 1).map((item) => ({ ...item, id: 'FINDING_9' })),
    pair,
  );
  const rounds = [
    { entries, quorum: fullQuorum, planDigest: 'sha256:ab' },
    { entries: later, quorum: pair, planDigest: 'sha256:cd' },
  ];
  const text = renderTallyOfRounds(rounds, scoreboard([...entries, ...later], []));
  const read = readTally(text);
  expect(read.planDigest).toBe('sha256:cd');
  expect(read.items.map(({ id }) => id)).toEqual([...entries.map(({ item }) => item.id), 'FINDING_9']);
  expect(read.items.at(-1)?.votes.map(({ voter, vote }) => [voter, vote])).toEqual([
    ['Claude', 'missing'],
    ['Codex', 'missing'],
    ['Cursor', 'missing'],
  ]);
  expect(text).toContain(`- **Rule**: round 1: ${fullQuorum.rule}; round 2: two voters answered`);
  expect(text).toContain('; 2: FINDING_9 (plan sha256:cd; voting-tally-2.md)');
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
