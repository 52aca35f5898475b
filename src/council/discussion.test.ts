import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryOf } from '../../test/arbitrary-of.ts';
import { eligible, judge } from '../../test/dialectic-fixtures.ts';
import { line, prose } from '../base/schema/primitives.ts';
import {
  discussionCandidates,
  discussionLimits,
  isStillContested,
  planRound,
  readDiscussion,
  renderDiscussion,
  resolveAnswer,
} from './discussion.ts';
import { resolve } from './resolutions.ts';

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

test('L-179 terse answers take the recommendation, others are final', () => {
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
])('L-173, L-179, L-180: an answer that decides is final: %s', (answer, asked, resolution) => {
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

test('L-722 unanimous votes are settled, everything else may be asked about', () => {
  const [debate] = eligible(1);
  if (!debate) throw new Error('no debate');
  const outcome = (...votes: ('T' | 'A')[]) =>
    resolve(
      [debate],
      votes.map((vote, index) => judge(`${index}`, vote)),
    )[0];
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
