import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compose, type PromptDraft, seededNonce } from '../part.ts';
import { dispatchFor } from '../roles/table.ts';
import {
  type DispatchQuestion,
  decideByCost,
  decideDispatch,
  freshReasons,
  guardResume,
  type ResumedAnswer,
  resumeFailure,
} from './decide.ts';
import { evaluateProbe, rememberedProbe } from './probe.ts';
import {
  afterFresh,
  afterResume,
  deltaSince,
  fixSummariesSince,
  noResumeState,
  takeSnapshot,
  withFixSummary,
  withoutSession,
} from './state.ts';
import { finalValidation, resumedFix, resumedReview } from './templates.ts';

const text = (draft: PromptDraft) => compose(draft, { nonce: seededNonce('x') }).text;
const dispatch = dispatchFor('specify', 'spec-reviewer');
const delta = { kind: 'delta', stat: 'spec.md | +1 -1', text: '@@ -1 +1 @@\n-a\n+b\n```' } as const;

const session = {
  agentId: 'a1',
  promptCharacters: 900,
  promptTokens: 200,
  readTokens: 5_800,
  lastIteration: 1,
  snapshot: takeSnapshot({ 'spec.md': 'a\n' }),
  lastUsed: 0,
  transcriptTokens: 7_000,
};
const question: DispatchQuestion = {
  iteration: 2,
  resumable: true,
  agentResumes: true,
  session,
  delta,
  resumedTokens: 1_000,
  finalValidation: false,
  now: 60_000,
};

test('T-094, T-095, lean/C-03, tricky case 8: the delta comes from the snapshot, without git', () => {
  const snapshot = takeSnapshot({ 'spec.md': 'one\ntwo\nthree\nfour\nfive\n' });
  const changed = deltaSince(snapshot, { 'spec.md': 'one\ntwo\n3\nfour\nfive\n' });
  expect(changed).toEqual({
    kind: 'delta',
    stat: 'spec.md | +1 -1',
    text: '--- spec.md\n+++ spec.md\n@@ -2,3 +2,3 @@\n two\n-three\n+3\n four',
  });
});

test.each([
  ['nothing', 'a\nb\n'],
  ['line endings', 'a\r\nb\r\n'],
  ['a byte order mark', '\uFEFFa\nb\n'],
  ['front matter added at completion', '---\nstatus: approved\n---\na\nb\n'],
])('tricky case 8: %s is not a change', (_name, after) => {
  expect(deltaSince(takeSnapshot({ 'spec.md': 'a\nb\n' }), { 'spec.md': after })).toEqual({ kind: 'same' });
});

test('distinguishes new, removed and rewritten files', () => {
  const snapshot = takeSnapshot({ 'a.ts': 'x\n' });
  expect(deltaSince(snapshot, { 'b.ts': 'y\n' })).toMatchObject({
    stat: 'a.ts | +0 -1 (removed)\nb.ts | +1 -0 (new, 1 lines)',
  });
  const lines = (prefix: string) =>
    Array.from({ length: 5_000 }, (_, index) => `${prefix}${index}`).join('\n');
  expect(deltaSince(takeSnapshot({ 'a.ts': lines('a') }), { 'a.ts': lines('b') })).toEqual({
    kind: 'too-large',
    files: ['a.ts'],
  });
});

test('T-097: more than half trips, exactly half does not', () => {
  const input = { promptTokens: 100, readTokens: 900 };
  expect(guardResume({ ...input, resumedTokens: 500 })).toEqual({ trips: false, share: 0.5, limit: 0.5 });
  expect(guardResume({ ...input, resumedTokens: 501 }).trips).toBe(true);
});

test('lean/C-01, lean/C-02: against the bare prompt of a reference-only role the old guard always trips', () => {
  const input = { resumedTokens: 500, promptTokens: 250, readTokens: 5_000 };
  expect(guardResume({ ...input, mode: 'legacy' }).trips).toBe(true);
  expect(guardResume(input).trips).toBe(false);
  expect(guardResume({ resumedTokens: 1, promptTokens: 0, readTokens: 0 }).trips).toBe(true);
});

test('lean/C-28: a warm cache makes continuing cheap, a cold one dear', () => {
  const input = { transcriptTokens: 10_000, resumedTokens: 1_000, freshTokens: 8_000 };
  expect(decideByCost({ ...input, idleSeconds: 299 })).toMatchObject({
    choose: 'resume',
    cache: 'warm',
    resume: 2_250,
  });
  expect(decideByCost({ ...input, idleSeconds: 300 })).toMatchObject({
    choose: 'fresh',
    cache: 'cold',
    resume: 13_750,
  });
});

test('T-089, T-090: the second round of a known session continues it', () => {
  expect(decideDispatch(question)).toEqual({
    kind: 'resume',
    agentId: 'a1',
    cache: 'warm',
    share: 1_000 / 6_000,
  });
});

test.each<[string, Partial<DispatchQuestion>, string]>([
  ['T-089', { iteration: 1 }, 'first iteration'],
  ['T-113', { resumable: false }, 'role is not resumed'],
  ['T-115', { agentResumes: false }, 'agent cannot resume'],
  ['T-090', { session: undefined }, 'no session'],
  ['T-105', { session: undefined, sessionLost: true }, 'agent_id lost (context compaction)'],
  ['T-093', { commit: 'COMMIT_FAILED' }, 'changes could not be committed'],
  ['T-093', { commit: 'NO_CHANGES' }, 'nothing changed'],
  ['T-093', { delta: { kind: 'same' } }, 'nothing changed'],
  ['tricky case 8', { delta: { kind: 'too-large', files: ['a'] } }, 'changes are too large for a diff'],
  ['T-097', { resumedTokens: 3_001 }, 'delta is over half of a fresh call'],
  ['lean/C-28', { now: 3_600_000 }, 'cache is cold, fresh is cheaper'],
  ['lean/C-01', { guardMode: 'legacy' }, 'delta is over half of a fresh call'],
])('%s: fresh because of %j', (_row, change, reason) => {
  expect(decideDispatch({ ...question, ...change })).toMatchObject({ kind: 'fresh', reason });
});

test('T-104, T-108: only a lost session is logged as a fallback, a cold cache is not', () => {
  const logged = Object.entries(freshReasons).filter(([, { fallback }]) => fallback);
  expect(logged.map(([reason]) => reason)).toEqual(['agent_id lost (context compaction)']);
});

test('T-098: the guard does not hold back final validation, nor does an unchanged file', () => {
  expect(decideDispatch({ ...question, resumedTokens: 5_000, finalValidation: true }).kind).toBe('resume');
  expect(decideDispatch({ ...question, delta: { kind: 'same' }, finalValidation: true }).kind).toBe('resume');
});

test('T-099, T-100, T-143, lean/C-22, lean/C-24: directive, delta, fixes, evaluation, iteration, schema; no block and no rubric', () => {
  const all = text(resumedReview({ dispatch, delta, fixSummary: 'clarified', iteration: 2, max: 5 }));
  const order = [
    'You already have the upstream artifacts',
    '## Delta\nspec.md | +1 -1',
    '## Fix Summary',
    'This is iteration 2 of 5.',
    '## JSON',
    '"approved"',
  ];
  const places = order.map((piece) => all.indexOf(piece));
  expect(places).toEqual([...places].sort((left, right) => left - right));
  expect(places).not.toContain(-1);
  expect(all).not.toContain('Required Artifacts');
  expect(all).not.toContain('Files read');
  expect(all).not.toContain(dispatch.rubric);
});

test('T-102: final validation names the last iteration and all fixes since', () => {
  const all = text(
    finalValidation({
      dispatch,
      delta,
      fixSummary: 'Iteration 2: x',
      iteration: 4,
      max: 5,
      lastIteration: 1,
    }),
  );
  expect(all).toContain('You approved in iteration 1.');
  expect(all).toContain('## Changes Since Your Last Review\n');
  expect(all).toContain('This is the final validation round (iteration 4 of 5).');
});

test('T-109: the fixer continues with new issues, changed files and all files', () => {
  const all = text(
    resumedFix({
      issues: '- leak',
      changedFiles: ['a.ts'],
      allFiles: ['a.ts', 'b.ts'],
      iteration: 2,
      max: 5,
    }),
  );
  expect(all).toMatch(/## New Issues to Fix\n<issues [^>]+>\n- leak/);
  expect(all).toContain(
    '## Changed Files to Re-read\na.ts\n\n## All Implementation Files (for reference)\na.ts\nb.ts\n',
  );
  expect(all).not.toContain('Required Artifacts');
});

test('T-087, T-106, T-107, lean/C-04: a fresh call replaces the chain, a continued one moves it on', () => {
  const first = afterFresh(noResumeState, 'spec-reviewer', session);
  const moved = afterResume(first, 'spec-reviewer', {
    agentId: 'a2',
    lastIteration: 2,
    snapshot: takeSnapshot({ 'spec.md': 'b\n' }),
    lastUsed: 5,
    addedTokens: 500,
  });
  expect(moved.sessions['spec-reviewer']).toMatchObject({
    agentId: 'a2',
    lastIteration: 2,
    transcriptTokens: 7_500,
    promptTokens: 200,
  });
  const replaced = afterFresh(moved, 'spec-reviewer', { ...session, agentId: 'a3', promptTokens: 300 });
  expect(replaced.sessions['spec-reviewer']).toMatchObject({
    agentId: 'a3',
    promptTokens: 300,
    lastIteration: 1,
  });
  expect(afterFresh(moved, 'spec-reviewer', { ...session, agentId: undefined }).sessions).toEqual({});
});

test('T-088, T-111, T-112, T-114, tricky case 9: chains are independent; a role that sat out keeps its own snapshot', () => {
  const both = afterFresh(afterFresh(noResumeState, 'a', session), 'b', {
    ...session,
    agentId: 'b1',
    lastIteration: 3,
  });
  expect(withoutSession(both, 'a').sessions['b']?.agentId).toBe('b1');
  const state = withFixSummary(withFixSummary(both, 1, 'first '), 3, 'third');
  expect(fixSummariesSince(state, 'a')).toBe('Iteration 1: first\nIteration 3: third');
  expect(fixSummariesSince(state, 'b')).toBe('Iteration 3: third');
  expect(noResumeState).toEqual({ sessions: {}, fixSummaries: [] });
});

const answer: ResumedAnswer = {
  text: '{"approved":true}',
  agentId: 'a2',
  parsed: true,
  totalTokens: 10,
};

test.each<[Partial<ResumedAnswer>, string | undefined]>([
  [{}, undefined],
  [{ error: 'HTTP 400' }, 'HTTP 400'],
  [{ text: ' \n' }, 'empty answer'],
  [{ totalTokens: 0 }, 'the agent used no tokens'],
  [{ parsed: false, text: 'I do not have any previous review here.' }, 'the agent lost its transcript'],
  [{ parsed: false }, 'no usable answer after one retry'],
])('tricky case 9: %j fails with %s', (change, reason) => {
  expect(resumeFailure({ ...answer, ...change })).toBe(reason);
});

const facts = {
  agentId: 'a',
  usedTools: true,
  resumeError: undefined,
  firstLine: '# Spec',
  quotedLine: 'It was: # Spec',
  issueCount: 3,
  statedIssueCount: 3,
};

test.each([
  [{}, { passed: true }],
  [{ agentId: undefined }, { passed: false, reason: 'V1: no agent id came back' }],
  [{ usedTools: false }, { passed: false, reason: 'V1: the first call did not read the file' }],
  [{ resumeError: 'HTTP 500' }, { passed: false, reason: 'V2: HTTP 500' }],
  [{ quotedLine: '# Specification' }, { passed: false, reason: 'V3: the line was not repeated verbatim' }],
  [{ quotedLine: 'spec' }, { passed: false, reason: 'V3: the line was not repeated verbatim' }],
  [{ statedIssueCount: 2 }, { passed: false, reason: 'V4: 2 issues remembered, there were 3' }],
])('T-115, T-116: %j', (change, result) => {
  expect(evaluateProbe({ ...facts, ...change })).toEqual(result);
});

test('a probe is remembered for one version of an agent', () => {
  const memory = { codex: { version: '1.0', result: { passed: true as const }, time: 't' } };
  expect(rememberedProbe(memory, 'codex', '1.0')).toEqual({ passed: true });
  expect(rememberedProbe(memory, 'codex', '1.1')).toBeUndefined();
  expect(rememberedProbe(memory, 'constructor', '1.0')).toBeUndefined();
});

test('T-136: a continued prompt never grows with anything but its delta and fixes', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 500 }), (diff) => {
      const all = text(
        resumedReview({
          dispatch,
          delta: { kind: 'delta', stat: 's', text: diff },
          fixSummary: '',
          iteration: 2,
          max: 5,
        }),
      );
      expect(all.length).toBeLessThan(diff.length + 900);
    }),
  );
});
