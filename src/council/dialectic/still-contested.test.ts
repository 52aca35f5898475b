import { expect, test } from 'vitest';
import { eligible, judge } from '../../../test/dialectic-fixtures.ts';
import { resolve } from './resolutions.ts';
import { discussionCandidates, isStillContested } from './still-contested.ts';
import { decide } from './verdicts.ts';

test('L-722 unanimous votes are settled, everything else may be asked about', () => {
  const [debate] = eligible(1);
  if (!debate) throw new Error('no debate');
  const outcome = (...votes: ('T' | 'A')[]) =>
    resolve([
      {
        kind: 'judged',
        decision: debate.decision,
        defences: debate,
        verdict: decide(
          1,
          votes.map((vote, index) => judge(`${index}`, vote)),
        ),
      },
    ])[0];
  const settled = outcome('T', 'T', 'T');
  const close = outcome('T', 'T', 'A');
  if (!settled || !close) throw new Error('no resolution');
  expect([settled, close].map(isStillContested)).toEqual([false, true]);
  const candidates = (resolution: typeof settled, challenged: number[] = [], coveredTitles: string[] = []) =>
    discussionCandidates({
      decisions: [debate.decision],
      resolutions: [resolution],
      coveredTitles,
      challenged,
    }).flatMap(({ reasons }) => reasons);
  expect(candidates(settled)).toEqual([]);
  expect(candidates(settled, [1])).toEqual(['challenged']);
  expect(candidates(close)).toEqual(['not-covered', 'still-contested']);
  expect(candidates(close, [], ['D1'])).toEqual(['still-contested']);
});
