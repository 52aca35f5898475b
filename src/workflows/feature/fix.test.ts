import { expect, test } from 'vitest';
import { featureDirectory } from '../../../test/support/feature-directory.ts';
import { readFeature } from '../../prompts/feature-files.ts';
import { seededNonce } from '../../prompts/part.ts';
import { noResumeState } from '../../prompts/resume/state.ts';
import { dispatchFor } from '../../prompts/roles/table.ts';
import { type FixCall, fixOnce } from './fix.ts';
import type { CallOutcome, RolePort } from './rules/role-call.ts';

const prose = 'The cache keeps every answer for a minute and then asks the store again.\n'.repeat(200);
const report = 'Files read: a\n## Files changed\n- src/a.ts\n';

function port(answers: readonly CallOutcome[], now = 1_000) {
  const requests: { prompt: string; resume?: string }[] = [];
  const made: RolePort = {
    call: async (request) => {
      requests.push(request);
      return answers[requests.length - 1] ?? { text: '', error: 'no more answers' };
    },
    now,
    count: (text) => Math.ceil(text.length / 4),
    nonce: seededNonce('test'),
  };
  return { ...made, requests };
}

async function fix(more: Partial<FixCall> = {}): Promise<FixCall> {
  const { directory } = featureDirectory({ spec: `# Spec\n${prose}` });
  return {
    dispatch: dispatchFor('implement', 'implementer'),
    feature: await readFeature(directory),
    state: noResumeState,
    issues: ['security-reviewer: [blocker] key in the log'],
    iteration: 1,
    max: 5,
    agentResumes: true,
    code: { 'src/a.ts': 'one\n', 'src/b.ts': 'two\n' },
    ...more,
  };
}

test('T-110, T-127: the first fix has five artifacts, all files and the issues of failed reviewers', async () => {
  const agent = port([{ text: report, session: 's1' }]);
  const { state, record } = await fixOnce(await fix(), agent);
  const prompt = agent.requests[0]?.prompt ?? '';
  const sections = [
    '## Required Artifacts',
    '## All Implementation Files',
    '## Issues to fix (from failed reviewers only)',
  ];
  expect(sections.map((section) => prompt.indexOf(section)).every((place) => place >= 0)).toBe(true);
  expect(prompt.match(/^- (?:PRD|Spec|Design|Plan|Tasks): /gm)).toHaveLength(5);
  expect(record).toMatchObject({ kind: 'fresh', role: 'implementer' });
  expect(state.sessions['implement/implementer']).toMatchObject({ agentId: 's1', lastIteration: 1 });
});

test('T-109: the next fix continues the session, with the files that changed meanwhile and no references', async () => {
  const { state } = await fixOnce(await fix(), port([{ text: report, session: 's1' }]));
  const agent = port([{ text: report, session: 's1' }]);
  const code = { 'src/a.ts': 'changed\n', 'src/b.ts': 'two\n' };
  const { record } = await fixOnce(await fix({ state, iteration: 2, code }), agent);
  expect(agent.requests).toMatchObject([{ resume: 's1' }]);
  const prompt = agent.requests[0]?.prompt ?? '';
  expect(prompt).toContain('## New Issues to Fix');
  expect(prompt).toMatch(/## Changed Files to Re-read\nsrc\/a\.ts\n\n/);
  expect(prompt).toMatch(/## All Implementation Files \(for reference\)\nsrc\/a\.ts\nsrc\/b\.ts\n/);
  expect(prompt).not.toContain('## Required Artifacts');
  expect(record.kind).toBe('resumed');
});

test.each([
  ['an error', { text: '', error: 'session not found' }, 'session not found'],
  ['nothing', { text: ' ' }, 'empty answer'],
  ['no tokens used', { text: report, totalTokens: 0 }, 'the agent used no tokens'],
])(
  'T-103, T-104: a continued fix that ends in %s is done afresh, and that is logged',
  async (_name, answer, reason) => {
    const { state } = await fixOnce(await fix(), port([{ text: report, session: 's1' }]));
    const agent = port([answer, { text: report, session: 's2' }]);
    const result = await fixOnce(await fix({ state, iteration: 2 }), agent);
    expect(agent.requests[1]?.prompt).toContain('(Fresh dispatch — prior fix session unavailable.)');
    expect(result.markers).toContain(`RESUME-FALLBACK: implementer iteration 2 — ${reason}`);
    expect(result.state.sessions['implement/implementer']?.agentId).toBe('s2');
  },
);

test('T-106: a fixer that failed leaves no session behind', async () => {
  const result = await fixOnce(await fix(), port([{ text: '', error: 'HTTP 500', session: 's1' }]));
  expect(result).toMatchObject({ problem: 'HTTP 500', state: { sessions: {} } });
});
