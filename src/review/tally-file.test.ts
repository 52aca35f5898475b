import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryOf } from '../../test/arbitrary-of.ts';
import { entries, fullQuorum, items } from '../../test/review-fixtures.ts';
import { line } from '../schema/primitives.ts';
import { scoreboard } from './scoreboard.ts';
import { tally } from './tally.ts';
import { readTally, renderTally, renderTallyStub } from './tally-file.ts';

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
