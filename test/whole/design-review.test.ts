import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readTally } from '../../src/council/tally.ts';
import { readOutOfScope, readRejected } from '../outcome-readers.ts';
import { artifactsOf, callsIn, charrette, makeProject, runsOf } from '../support/program.ts';

test('L-690, L-693, L-694: a second round adds to what the first one found, and what is voted in or observed is printed', async () => {
  const { project, calls } = await makeProject({ mode: 'rounds' });
  const flags = ['--auto', '--yes', '--no-branch', '--quick', '--dialectic', 'off', '--panel', 'pair'];
  const out = path.join(project, 'docs', 'design');
  const words = ['design', ...flags, '--review-rounds', '2', '--out', out, 'add rate limiting'];
  const ended = await charrette(words, { cwd: project });
  const [run = ''] = runsOf(project);
  const artifacts = artifactsOf(project, run);
  expect(callsIn(calls).filter((call) => call.startsWith('plan-review '))).toHaveLength(4);
  // The observations of both rounds, each with its own id.
  const observed = readOutOfScope(artifacts['oos.md'] ?? '');
  expect(observed.map(({ title }) => title).sort()).toEqual([
    'Logs grow without end, first look',
    'Logs grow without end, first look',
    'Logs grow without end, second look',
    'Logs grow without end, second look',
  ]);
  expect(new Set(observed.map(({ id }) => id)).size).toBe(4);
  // Security stays in its own file; the tally names its existence, not its content.
  expect(artifacts['oos-security-local.md']).toContain('The admin password is in the logs');
  expect(`${ended.stdout}${artifacts['oos.md']}${artifacts['voting-tally.md']}`).not.toContain(
    'admin password',
  );
  expect(ended.stderr).toContain('2 out-of-scope observation(s) about security');
  // Printed in both rounds, with counts.
  expect(
    ended.stdout.match(/^## Plan Review Findings \(Voted In\)\n\n\d+ findings? voted in\.$/gm),
  ).toHaveLength(2);
  expect(ended.stdout.match(/^## Out-of-Scope Observations$/gm)).toHaveLength(2);
  // A blocking finding that the first revision left open is still open after the second.
  expect(ended.stderr + ended.stdout).toContain('accepted blocking findings remain: FINDING_1');
  expect(ended.code).toBe(6);
  expect(artifacts['ballot-proposers.json']).not.toBe(undefined);
  expect(artifacts['ballot-proposers-2.json']).not.toBe(undefined);
  // The tally is the final state: the items of both rounds; each round also has its own file.
  const ids = (name: string) => readTally(artifacts[name] ?? '').items.map(({ id }) => id);
  expect(ids('voting-tally.md')).toEqual([...ids('voting-tally-1.md'), ...ids('voting-tally-2.md')]);
  expect(new Set(ids('voting-tally.md')).size).toBe(ids('voting-tally.md').length);
  expect(ids('voting-tally-2.md').length).toBeGreaterThan(0);
  expect(artifacts['ballot.txt']).toContain('admin password');
  // What leaves the run says nothing about security: neither the copies nor the file that is made to be sent.
  const copies = readdirSync(out);
  expect(copies).toContain('plan.txt');
  expect(copies).toContain('voting-tally.md');
  for (const name of copies)
    expect(readFileSync(path.join(out, name), 'utf8'), name).not.toContain('admin password');
  const sent = path.join(project, 'docs', 'report.html');
  expect((await charrette(['report', '--html', '--out', sent], { cwd: project })).code).toBe(0);
  expect(dataIn(readFileSync(sent, 'utf8'))).not.toContain('admin password');
});

/** What a report holds: its data is packed. */
function dataIn(html: string): string {
  const packed = [...html.matchAll(/[A-Za-z0-9+/=]{1000,}/g)].map(([text]) => Buffer.from(text, 'base64'));
  const data = packed.find((bytes) => bytes[0] === 0x1f && bytes[1] === 0x8b);
  if (data === undefined) throw new Error('no data in the report');
  return gunzipSync(data).toString('utf8');
}

test('L-261, L-722, panel/C-13: with a worker and a user at a terminal every body is printed once', async () => {
  const { project } = await makeProject();
  writeFileSync(path.join(project, '.charrette', 'answers.json'), '{}');
  const flags = ['--yes', '--no-branch', '--subagent', '--dialectic', 'off', '--panel', 'pair'];
  const ended = await charrette(
    ['design', ...flags, '--answers', '.charrette/answers.json', 'add rate limiting'],
    { cwd: project },
  );
  expect(ended.code).toBe(0);
  for (const heading of [
    'Implementation Plan',
    'Plan Review Findings (Voted In)',
    'Architecture Diagram',
    'Unimplemented Plan Review Suggestions',
  ])
    expect(ended.stdout.split(`## ${heading}\n`), heading).toHaveLength(2);
  // L-722: the second discussion gets each unjudged item with the reason why it is open.
  const [run = ''] = runsOf(project);
  const question = path.join(project, '.charrette', 'runs', run, 'lanes', 'discussion-2.json');
  const { prompt } = JSON.parse(readFileSync(question, 'utf8')) as { prompt: string };
  expect(prompt).toContain('### DECISION_1: Where the bucket lives\n- **Chosen**: in memory');
  expect(prompt).toContain('- **Open because**: not-covered, still-contested');
});

/** A short walk in which a task fails, on every seat or on all but one. */
async function failing(failTask: string, ...flags: string[]) {
  const { project } = await makeProject({ failTask });
  const words = ['design', '--auto', '--yes', '--no-branch', '--quick', '--panel', 'pair', ...flags];
  const ended = await charrette([...words, 'add rate limiting'], { cwd: project });
  const [run = ''] = runsOf(project);
  return { ended, artifacts: artifactsOf(project, run) };
}

test('L-639, L-640, L-642, panel/C-20: without a voter the planning agent votes, and the tally calls it so', async () => {
  const { ended, artifacts } = await failing('vote!author', '--dialectic', 'off');
  expect(ended.code).toBe(6);
  expect(ended.stderr).toContain('**⚠ Degraded voting panel: missing ');
  expect(artifacts['voting-tally.md']).toContain(
    '- **Rule**: no voter answered: the planning agent decided alone (main-agent-vote-required)',
  );
  expect(artifacts['voting-tally.md']).toContain(
    '| Item | Title | Author | YES | NO | EXONERATE | Outcome |',
  );
  expect(artifacts['accepted-plan-findings.md']).toContain('### FINDING_1');
});

test('F-19: without any vote nothing is accepted, nothing is lost, and the run reports it', async () => {
  const { ended, artifacts } = await failing('vote', '--dialectic', 'off');
  expect(ended.code).toBe(6);
  expect(ended.stderr).toContain('**ℹ Nobody voted: no finding was accepted. Plan unchanged.**');
  expect(ended.stderr).not.toContain('rejected all in-scope findings');
  expect(artifacts['accepted-plan-findings.md']).toBe('');
  expect(readRejected(artifacts['rejected-findings.md'] ?? '').map(({ outcome }) => outcome)).toEqual([
    'neutral',
    'neutral',
  ]);
});

test('panel/C-07: with too few sketches the run fails loudly and says what is needed', async () => {
  const { ended } = await failing('sketch');
  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain('0 of 2 sketches are usable, at least 1 are needed');
  expect(ended.stderr).toMatch(/fix: .*resume/);
});

test('L-519, L-520, L-531: when all judges fail the synthesis is kept, with the reason and the defences', async () => {
  const { ended, artifacts } = await failing('judge');
  expect(ended.code).toBe(0);
  const text = artifacts['dialectic-resolutions.md'] ?? '';
  expect(text).toContain('**Disposition**: fallback-to-synthesis');
  expect(text).toContain('**Why fallback**: 0 judges eligible');
  expect(text).toContain('**Thesis summary**: Our side is the smaller change here.');
  expect(text).not.toContain('**Vote tally**');
});

test('L-022, L-581, L-594, F-03: a review without answers fails the run, and resuming asks the reviewers again', async () => {
  const { project, calls } = await makeProject({ failTask: 'plan-review' });
  const words = ['--auto', '--yes', '--no-branch', '--quick', '--dialectic', 'off', '--panel', 'pair'];
  const ended = await charrette(['design', ...words, 'add rate limiting'], { cwd: project });
  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain('No reviewer answered (2 asked).');
  expect(ended.stdout + ended.stderr).not.toMatch(/no findings|No findings/);
  const made = () => callsIn(calls).filter((call) => call.startsWith('plan-review ')).length;
  const before = made();
  expect((await charrette(['resume', 'latest'], { cwd: project })).code).toBe(1);
  expect(made()).toBe(2 * before);
});

test('L-581: a review that is missing is counted where the step ends', async () => {
  const { ended, artifacts } = await failing('plan-review!two-plan-generic', '--dialectic', 'off');
  expect(ended.code).toBe(6);
  expect(ended.stderr).toMatch(
    /^✅ 3: plan review — 1 accepted, 0 not implemented, 1 of 2 reviews missing \(\d+s\)$/m,
  );
  expect(artifacts['accepted-plan-findings.md']).toContain('### FINDING_1');
});

test('L-690, L-698: a revision that changes nothing resolves nothing, whatever it says', async () => {
  const { project, calls } = await makeProject({ mode: 'stubborn' });
  const flags = ['--quick', '--dialectic', 'off', '--panel', 'pair', '--review-rounds', '2'];
  const ended = await charrette(['design', '--auto', '--yes', '--no-branch', ...flags, 'add rate limiting'], {
    cwd: project,
  });
  expect(ended.code).toBe(6);
  expect(ended.stderr).toContain('FINDING_1 was accepted, but the revision left the plan as it was.');
  expect(ended.stderr + ended.stdout).toContain('accepted blocking findings remain: FINDING_1');
  expect(ended.stdout).not.toContain('## Revised Implementation Plan');
  const [run = ''] = runsOf(project);
  expect(artifactsOf(project, run)['accepted-plan-findings.md']).toContain(
    '- **Resolution**: The revision left the plan as it was.',
  );
  // Without a changed plan nothing is reviewed again.
  expect(callsIn(calls).filter((call) => call.startsWith('plan-review '))).toHaveLength(2);
});

test('L-652: after two rounds every reviewer of either one has a row, and the step ends once with the totals', async () => {
  const { project } = await makeProject({ mode: 'narrow' });
  const flags = ['--auto', '--yes', '--no-branch', '--dialectic', 'off', '--review-rounds', '2'];
  const ended = await charrette(['design', ...flags, 'add rate limiting'], { cwd: project });
  expect(ended.code).toBe(0);
  const [run = ''] = runsOf(project);
  const artifacts = artifactsOf(project, run);
  const rows = (name: string) => readTally(artifacts[name] ?? '').scores.map(({ reviewer }) => reviewer);
  const all = ['Two-Arch', 'Two-Edge', 'One-Innovation', 'One-Pragmatic'];
  expect(rows('voting-tally-1.md')).toEqual(all);
  expect(rows('voting-tally-2.md')).toEqual(['Two-Arch']);
  expect(rows('voting-tally.md')).toEqual(all);
  expect(ended.stderr.match(/^✅ 3: plan review — .*$/gm)).toEqual([
    expect.stringMatching(/^✅ 3: plan review — 1 accepted, 1 not implemented \(\d+s\)$/),
  ]);
});

test('panel/C-19: out-of-scope observations do not count as implemented suggestions', async () => {
  const { project } = await makeProject({ mode: 'outside' });
  const flags = ['--auto', '--yes', '--no-branch', '--quick', '--dialectic', 'off', '--panel', 'pair'];
  const ended = await charrette(['design', ...flags, 'add rate limiting'], { cwd: project });
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain('4: rejected findings — no suggestions raised');
});
