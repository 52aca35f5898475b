import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { judgeAnswer } from './gate.ts';
import { appendReview, latestReviews, readReviews, reviewRecord } from './history.ts';
import type { ReviewIssue } from './review-answer.ts';
import { addWaiver, fingerprint, readWaivers, removeWaiver, waiverFile } from './waivers.ts';

const folder = () => mkdtempSync(path.join(tmpdir(), 'waivers-'));
const issue: ReviewIssue = {
  severity: 'warning',
  description: 'No paging (line 12)',
  location: 'spec.md:12',
};

test('lean/C-21: a waiver that was written down lets the gate pass, in other words of the same kind too', async () => {
  const directory = folder();
  expect(await readWaivers(directory)).toEqual([]);
  await addWaiver(directory, { fingerprint: fingerprint(issue), reason: 'first' });
  await addWaiver(directory, { fingerprint: fingerprint(issue), reason: 'later' });
  const waivers = await readWaivers(directory);
  expect(waivers).toEqual([{ fingerprint: fingerprint(issue), reason: 'later' }]);
  const moved = { ...issue, description: 'no paging  (line 40)', location: 'spec.md:40' };
  const answer = { approved: false, issues: [moved], summary: '' };
  expect(judgeAnswer(answer, waivers)).toMatchObject({ gate: 'pass', reviewer: 'rejected', waived: [moved] });
  expect(await removeWaiver(directory, fingerprint(issue))).toEqual([]);
  await expect(removeWaiver(directory, fingerprint(issue))).rejects.toThrow('there are none');
});

test.each([
  '{',
  '[]',
  '{"waivers": [{"fingerprint": "aa"}]}',
  '{"waivers": [{"fingerprint": "aa", "reason": " "}]}',
])('a waiver file that cannot be read stops the caller and is not replaced: %s', async (text) => {
  const directory = folder();
  writeFileSync(path.join(directory, waiverFile), text);
  await expect(readWaivers(directory)).rejects.toMatchObject({ code: 'json-invalid' });
  await expect(addWaiver(directory, { fingerprint: 'aa', reason: 'b' })).rejects.toMatchObject({
    code: 'json-invalid',
  });
});

test('lean/C-06, lean/C-20: both verdicts and fingerprints are kept outside the feature, once', async () => {
  const root = folder();
  const feature = path.join(root, 'docs/features/007-search');
  const answer = { approved: true, issues: [issue], summary: '' };
  const facts = { time: '2026-03-01T10:00:00Z', command: 'specify', role: 'spec-reviewer', iteration: 1 };
  const record = reviewRecord({ ...facts, result: judgeAnswer(answer), issues: answer.issues });
  await appendReview(root, feature, record);
  await appendReview(root, feature, record);
  await appendReview(root, feature, { ...record, iteration: 2, gate: 'pass' });
  writeFileSync(path.join(root, '.charrette/features/007-search/reviews.jsonl'), '{"v":1,"cut', {
    flag: 'a',
  });
  const reviews = await readReviews(root, feature);
  expect(reviews).toHaveLength(2);
  expect(reviews[0]).toMatchObject({
    reviewer: 'approved',
    gate: 'fail',
    issues: [{ fingerprint: fingerprint(issue) }],
  });
  expect(latestReviews(reviews)).toMatchObject([{ iteration: 2, gate: 'pass' }]);
});
