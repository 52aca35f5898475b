import { expect, test } from 'vitest';
import { attemptTrace, type DebateAttempt, exhaustedNote, nextDebater } from './debate-retry.ts';

const bench = { debaters: ['cursor', 'codex'], replacement: 'claude' };
const tried = (...attempts: [string, DebateAttempt['result']][]): DebateAttempt[] =>
  attempts.map(([agent, result]) => ({ agent, result }));

test('F-17 a side that failed its check is told so once, by default the same agent', () => {
  expect(nextDebater(tried(['cursor', 'missing_tag']), 'corrective', bench)).toBe('cursor');
  expect(
    nextDebater(tried(['cursor', 'missing_tag'], ['cursor', 'missing_tag']), 'corrective', bench),
  ).toBeUndefined();
  expect(nextDebater(tried(['cursor', 'ok']), 'corrective', bench)).toBeUndefined();
  expect(nextDebater(tried(['cursor', 'missing_tag']), 'none', bench)).toBeUndefined();
});

test('L-024 only the waterfall brings the replacement in, and last', () => {
  expect(nextDebater(tried(['cursor', 'no_output']), 'waterfall', bench)).toBe('codex');
  expect(nextDebater(tried(['cursor', 'no_output'], ['codex', 'bad_recommend']), 'waterfall', bench)).toBe(
    'claude',
  );
  expect(nextDebater(tried(['cursor', 'no_output']), 'waterfall', { ...bench, debaters: ['cursor'] })).toBe(
    'claude',
  );
  const all = tried(['cursor', 'no_output'], ['codex', 'bad_recommend'], ['claude', 'no_output']);
  expect(nextDebater(all, 'waterfall', bench)).toBeUndefined();
  expect(nextDebater(tried(['cursor', 'no_output']), 'waterfall', { debaters: ['cursor'] })).toBeUndefined();
});

test('a used-up waterfall leaves its trace', () => {
  const attempts = tried(['cursor', 'missing_tag'], ['codex', 'no_output'], ['claude', 'missing_citation']);
  expect(exhaustedNote(attempts)).toBe(
    '[waterfall exhausted: retry1=codex/no_output, retry2=claude/missing_citation]',
  );
  expect(attemptTrace(attempts)).toBe('cursor=missing_tag → codex=no_output → claude=missing_citation');
  expect(exhaustedNote(attempts.slice(0, 1))).toBe('');
});
