import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeAnswer, revisionIssues } from './gate.ts';
import { type ReviewAnswer, type ReviewIssue, readReviewAnswer, severityOf } from './review-answer.ts';
import { fingerprint } from './waivers.ts';

function read(text: string): ReviewAnswer {
  const reading = readReviewAnswer(text);
  if (!reading.ok) throw new Error(reading.problem);
  return reading.answer;
}

const json =
  '{"approved": false, "issues": [{"severity": "blocker", "description": "a } b { \\" c"}], "summary": "s"}';

test.each([
  ['bare', json],
  ['in prose', `I read it all.\nFiles read: spec.md (3 lines)\n${json}\nDone.`],
  ['in a fence', `\`\`\`json\n${json}\n\`\`\``],
  ['in a fence in prose', `Here:\n\n\`\`\`\n${json}\n\`\`\`\n\nThat {is} all.`],
])('tricky case 10: JSON %s is read', (_name, text) => {
  expect(read(text)).toEqual({
    approved: false,
    issues: [{ severity: 'blocker', description: 'a } b { " c' }],
    summary: 's',
  });
});

test.each([
  ['prose', 'Looks good to me, approved!', 'no JSON object'],
  ['nothing', '', 'no JSON object'],
  ['an object about something else', '{"verdict": "fine"}', 'no `approved`'],
  ['issues that are not a list', '{"approved": true, "issues": "none"}', 'not a list'],
])('T-118: %s is not an answer', (_name, text, problem) => {
  expect(readReviewAnswer(text)).toEqual({ ok: false, problem: expect.stringContaining(problem) });
});

test('lean/C-27: the field names of all reviewers become one issue', () => {
  const issues = [
    { severity: 'warning', category: 'scope', description: 'd', location: 'l', suggestion: 's' },
    { severity: 'blocker', task: 'Task 2', description: 'd', suggestion: 's' },
    { severity: 'warning', challenge: 'c' },
    { severity: 'suggestion', description: 'd', suggested_fix: 'f', evidence: 'e' },
    { securitySeverity: 'high', description: 'd' },
    { severity: 'blocker', level: 'spec', category: 'missing', description: 'd' },
    'just words',
    { severity: 'warning' },
    null,
  ];
  expect(read(JSON.stringify({ approved: 'yes', issues })).issues).toEqual([
    { severity: 'warning', category: 'scope', description: 'd', location: 'l', suggestion: 's' },
    { severity: 'blocker', location: 'Task 2', description: 'd', suggestion: 's' },
    { severity: 'warning', description: 'c' },
    { severity: 'suggestion', description: 'd', suggestion: 'f' },
    { severity: 'blocker', description: 'd' },
    { severity: 'blocker', level: 'spec', category: 'missing', description: 'd' },
    { severity: 'warning', description: 'just words' },
  ]);
});

test.each([
  ['critical', 'blocker'],
  ['High', 'blocker'],
  ['medium', 'warning'],
  ['low', 'suggestion'],
  ['catastrophic', 'warning'],
  [undefined, 'warning'],
  ['constructor', 'warning'],
])('tricky case 10: severity %s counts as %s', (name, severity) => {
  expect(severityOf(name)).toBe(severity);
});

test('T-130: the relevance verifier passes only without gaps', () => {
  const check = (pass: boolean, gaps: string[]) => ({ name: 'coverage', pass, gaps });
  const answer = (pass: boolean, ...checks: object[]) => read(JSON.stringify({ pass, checks, summary: '' }));
  expect(answer(true, check(true, [])).approved).toBe(true);
  expect(answer(true, check(true, ['AC-3 has no test']))).toMatchObject({
    approved: false,
    issues: [{ severity: 'blocker', category: 'coverage', description: 'AC-3 has no test' }],
  });
  expect(answer(true, check(false, [])).approved).toBe(false);
  expect(answer(false, check(true, [])).approved).toBe(false);
  expect(answer(true).approved).toBe(false);
});

test('§2F: a reviewer may ask to go back', () => {
  expect(
    read('{"approved": false, "issues": [], "backward_to": "design", "backward_reason": "gap"}'),
  ).toMatchObject({
    backward: { to: 'design', reason: 'gap', findings: [] },
  });
});

test('an answer of 100 MB is bounded', () => {
  const many = JSON.stringify({
    approved: true,
    issues: Array.from({ length: 2_000 }, () => ({ description: 'x'.repeat(9_000) })),
  });
  const answer = read(many);
  expect(answer.issues).toHaveLength(500);
  expect(answer.issues[0]?.description).toHaveLength(8_000);
  expect(readReviewAnswer('x'.repeat(100 * 1024 * 1024))).toMatchObject({ ok: false });
});

const issue = (severity: ReviewIssue['severity'], description = 'd'): ReviewIssue => ({
  severity,
  description,
});
const answer = (approved: boolean, ...issues: ReviewIssue[]): ReviewAnswer => ({
  approved,
  issues,
  summary: '',
});

test.each<[string, ReviewAnswer, string, string]>([
  ['approves cleanly', answer(true), 'pass', 'approved'],
  ['approves with suggestions', answer(true, issue('suggestion')), 'pass', 'approved'],
  ['approves with a warning', answer(true, issue('warning')), 'fail', 'approved'],
  ['approves with blockers', answer(true, issue('blocker')), 'fail', 'approved'],
  ['rejects with a blocker', answer(false, issue('blocker')), 'fail', 'rejected'],
  ['rejects with suggestions only', answer(false, issue('suggestion')), 'ask-again', 'rejected'],
  ['rejects with no issue', answer(false), 'ask-again', 'rejected'],
])('T-117, lean/C-20: a reviewer that %s', (_name, given, gate, reviewer) => {
  expect(judgeAnswer(given)).toMatchObject({ gate, reviewer });
});

test('lean/C-20: blockers-only lets warnings through', () => {
  expect(judgeAnswer(answer(true, issue('warning')), [], 'blockers-only').gate).toBe('pass');
  expect(judgeAnswer(answer(true, issue('blocker')), [], 'blockers-only').gate).toBe('fail');
});

test('lean/C-21: an accepted issue does not stop the gate again, a new one does, a waiver without reason is none', () => {
  const known = {
    severity: 'warning',
    description: 'No cache for  reads (line 12).',
    location: 'design.md:40',
  } as const;
  const again = {
    severity: 'warning',
    description: 'no cache for reads (line 99)',
    location: 'design.md:77',
  } as const;
  const waiver = { fingerprint: fingerprint(known), reason: 'out of scope by decision' };
  expect(judgeAnswer(answer(false, again), [waiver])).toMatchObject({
    gate: 'pass',
    waived: [again],
    reason: 'every issue is waived',
  });
  expect(judgeAnswer(answer(false, again, issue('warning', 'new')), [waiver]).gate).toBe('fail');
  expect(judgeAnswer(answer(false, again), [{ ...waiver, reason: ' ' }]).gate).toBe('fail');
});

test('T-117: the gate never passes with an open blocker, whatever the rest of the answer', () => {
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.array(fc.constantFrom('blocker', 'warning', 'suggestion')),
      (approved, list) => {
        const result = judgeAnswer(answer(approved, ...list.map((severity) => issue(severity as 'blocker'))));
        if (list.includes('blocker') || list.includes('warning')) expect(result.gate).toBe('fail');
        else expect(result.gate).toBe(approved ? 'pass' : 'ask-again');
      },
    ),
  );
});

test('T-121: blockers and warnings must be revised, suggestions may, waived ones need not', () => {
  const waived = issue('warning', 'known');
  const given = answer(false, issue('blocker', 'b'), waived, issue('suggestion', 's'));
  const result = judgeAnswer(given, [{ fingerprint: fingerprint(waived), reason: 'decided' }]);
  expect(revisionIssues(given, result)).toEqual({
    must: [issue('blocker', 'b')],
    may: [issue('suggestion', 's')],
  });
});
