import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ReviewFile } from '../../src/workflows/review/report.ts';
import type { Settings } from '../support/design-walk.ts';
import { artifactsOf, callsIn, charrette, type Ended, makeProject, runsOf } from '../support/program.ts';

const defects = `export function total(list) {
  let sum = 1; // BUG starts at one
  return sum;
}
export const key = 'x'; // BUG secret in the code
`;

type Reviewed = {
  project: string;
  calls: string;
  review: (...flags: string[]) => Promise<Ended>;
  git: (...words: string[]) => string;
};

/** The example repository with a branch whose one commit has two marked defects, in a file of its own. */
async function topic(
  options: Parameters<typeof makeProject>[0] = {},
  change: (settings: Settings) => Settings = (all) => all,
): Promise<Reviewed> {
  const { project, calls } = await makeProject(options);
  const file = path.join(project, '.charrette', 'config.json');
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')) as Settings)));
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...words], {
      cwd: project,
      encoding: 'utf8',
    });
  git('checkout', '--quiet', '-b', 'topic');
  mkdirSync(path.join(project, 'src'), { recursive: true });
  writeFileSync(path.join(project, 'src', 'total.mjs'), defects);
  writeFileSync(path.join(project, 'package-lock.json'), '{}\n');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Add a total');
  const review = (...flags: string[]) => charrette(['review', '--yes', ...flags], { cwd: project });
  return { project, calls, review, git };
}

function resultOf(project: string): ReviewFile {
  const [run = ''] = runsOf(project).slice(-1);
  return JSON.parse(artifactsOf(project, run)['review.json'] ?? '') as ReviewFile;
}

test('R-001 R-002 R-003 R-007 a branch is reviewed by two, merged, checked, voted on; what is accepted at the bar exits 6', async () => {
  const { project, calls, review } = await topic();
  const ended = await review();
  expect(ended.code).toBe(6);
  const result = resultOf(project);
  expect(result.leftOut).toEqual([{ path: 'package-lock.json', reason: 'lock file' }]);
  expect(result.reviewed.map(({ path: name }) => name)).toEqual(['src/total.mjs']);
  expect(result.reviewers).toHaveLength(2);
  expect(result.findings.map(({ verdict }) => verdict).sort()).toEqual(['accepted', 'disputed']);
  expect(result.findings.every(({ preExisting, evidence }) => !preExisting && evidence === 'found')).toBe(
    true,
  );
  expect(ended.stdout).toContain('Not reviewed: package-lock.json (lock file).');
  expect(ended.stdout.trimEnd().split('\n').at(-1)).toMatch(/^2\. src\/total\.mjs:\d: /);
  const tasks = callsIn(calls).map((call) => call.split(' ')[0]);
  expect(tasks.filter((task) => task === 'change-review')).toHaveLength(2);
  expect(tasks.filter((task) => task === 'merge-findings')).toHaveLength(1);
  expect(tasks.filter((task) => task === 'vote')).toHaveLength(3);
  const [run = ''] = runsOf(project);
  const ballot = artifactsOf(project, run)['ballot.txt'] ?? '';
  expect(ballot).toContain('### FINDING_2');
  expect(readdirSync(path.join(project, '.charrette', 'runs', run, 'worktrees'))).toEqual([]);
});

test('R-002 reviewers read a checkout of the reviewed commit, not the tree of another branch', async () => {
  const seen = path.join(path.sep, 'tmp', `charrette-seen-${process.pid}`);
  rmSync(seen, { force: true });
  const spy = `const fs=require('fs');fs.appendFileSync(${JSON.stringify(seen)}, process.env.CHARRETTE_TASK+' '+fs.existsSync('src/total.mjs')+'\\n');process.stdin.resume();process.stdin.on('end',()=>console.log(process.env.CHARRETTE_TASK==='vote'?'{"votes":[]}':'{"findings":[]}'))`;
  const { review, git } = await topic({}, (settings) => ({
    ...settings,
    agents: { one: { protocol: 'exec', command: ['node', '-e', spy], family: 'one' } },
  }));
  git('checkout', '--quiet', 'main');
  const ended = await review('topic', '--depth', 'solo');
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing found.') });
  expect(readFileSync(seen, 'utf8')).toContain('change-review true');
  rmSync(seen, { force: true });
});

test('R-001 an empty difference exits 0 and says so; an unknown subject and a project without agents exit 4', async () => {
  const { project, review } = await topic();
  const none = await review('--staged');
  expect(none).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Nothing to review: staged changes.'),
  });
  const unknown = await review('no-such-thing');
  expect(unknown).toMatchObject({ code: 4, stderr: expect.stringContaining('no-such-thing') });
  const outside = await review('doc', '/etc/hostname');
  expect(outside).toMatchObject({ code: 5, stderr: expect.stringContaining('/etc/hostname') });
  const alone = await review('--agents', 'static');
  expect(alone).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('No agent is here that could review'),
  });
  expect(runsOf(project)).toEqual([]);
});

test('R-001 uncommitted work with untracked files is reviewed, and stays as it is', async () => {
  const { project, review, git } = await topic();
  writeFileSync(path.join(project, 'src', 'new.mjs'), 'export const a = 1; // BUG is never used\n');
  const ended = await review('--uncommitted', '--fail-on', 'never');
  expect(ended.code).toBe(0);
  expect(resultOf(project).reviewed.map(({ path: name }) => name)).toEqual(['src/new.mjs']);
  expect(git('status', '--porcelain')).toBe('?? src/new.mjs\n');
});

test('R-010 R-011 --format sarif, github, json and markdown print one form of the same result', async () => {
  const { review } = await topic();
  const sarif = await review('--format', 'sarif');
  const [{ results }] = (
    JSON.parse(sarif.stdout) as { runs: [{ results: { ruleId: string; partialFingerprints: object }[] }] }
  ).runs;
  expect(sarif.code).toBe(6);
  expect(results.map(({ ruleId }) => ruleId).sort()).toEqual(['review-correctness', 'review-security']);
  const json = JSON.parse((await review('--format', 'json')).stdout) as ReviewFile;
  const prints = json.findings.map(({ fingerprint }) => fingerprint);
  for (const { partialFingerprints } of results)
    expect(prints).toContain(Object.values(partialFingerprints)[0]);
  expect((await review('--format', 'github')).stdout).toMatch(
    /^::error file=src\/total\.mjs,line=\d,title=review-/,
  );
  expect((await review('--format', 'markdown')).stdout).toMatch(/^# Review: topic against main\n/);
});

test('R-012 an accepted finding is counted, not repeated, and returns when its code changes', async () => {
  const { project, review, git } = await topic({ mode: 'narrow' });
  await review('--depth', 'regular');
  const { findings } = resultOf(project);
  expect(findings).toHaveLength(2);
  for (const { id } of findings) {
    const accepted = await charrette(['review', 'accept', id, '--reason', 'on purpose'], { cwd: project });
    expect(accepted).toMatchObject({ code: 0, stdout: expect.stringContaining('review-baseline.json') });
  }
  const again = await review('--depth', 'regular');
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('2 known from the baseline') });
  expect(again.stdout).toContain('Nothing found.');
  writeFileSync(path.join(project, 'src', 'total.mjs'), defects.replace('= 1;', '= 2;'));
  git('commit', '--quiet', '--all', '--message', 'Begin at two');
  await review('--depth', 'regular');
  expect(
    resultOf(project)
      .findings.map(({ known }) => known ?? 'new')
      .sort(),
  ).toEqual(['accepted', 'new']);
  const unknown = await charrette(['review', 'accept', 'FINDING_9', '--reason', 'x'], { cwd: project });
  expect(unknown.code).toBe(4);
});

test('R-003 a second family that was announced and did not review is named, and exits 6', async () => {
  const { review } = await topic({ mode: 'content' }, (settings) => {
    const two = settings.agents['two'] as { command: string[] };
    const command = two.command.map((word) => (word === 'none' ? 'change-review' : word));
    return { ...settings, agents: { ...settings.agents, two: { ...two, command } } };
  });
  const ended = await review('--output', 'json');
  expect(ended.code).toBe(6);
  expect((JSON.parse(ended.stdout) as { degraded: object[] }).degraded).toEqual([
    expect.objectContaining({ role: 'review', planned: 'two', actual: 'one' }),
  ]);
  expect((await review('--accept-degraded')).code).toBe(0);
});

test('R-010 a clean review of a branch that moved meanwhile exits 8', async () => {
  const { project, calls, review, git } = await topic({ mode: 'content' });
  writeFileSync(`${calls}.hold`, 'change-review');
  const ended = review();
  while (!readFileSync(calls, 'utf8').includes('change-review'))
    await new Promise((resolve) => setTimeout(resolve, 50));
  git('commit', '--quiet', '--allow-empty', '--message', 'More');
  rmSync(`${calls}.hold`);
  expect(await ended).toMatchObject({ code: 8, stderr: expect.stringContaining('topic has moved since') });
  expect(
    existsSync(path.join(project, '.charrette', 'runs', runsOf(project)[0] ?? '', 'artifacts', 'review.md')),
  ).toBe(true);
});

test('R-001 a large change is reviewed in parts of whole files, and says so', async () => {
  const { project, calls, review, git } = await topic();
  for (const name of ['one', 'two', 'three'])
    writeFileSync(
      path.join(project, 'src', `${name}.mjs`),
      `export const ${name} = 1; // BUG in ${name}\n${'// a line of text\n'.repeat(4000)}`,
    );
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Large files');
  const ended = await review('HEAD~1..HEAD', '--depth', 'solo');
  expect(ended.stderr).toContain('a large change: reviewed in 3 parts of whole files');
  expect(callsIn(calls).filter((call) => call.startsWith('change-review'))).toHaveLength(3);
  expect(
    resultOf(project)
      .findings.map(({ title }) => title)
      .sort(),
  ).toEqual(['in one', 'in three', 'in two']);
});

test('R-013 a review since the last one says what became of its findings, and reviews only what came after', async () => {
  const { project, review, git } = await topic();
  await review();
  const source = path.join(project, 'src', 'total.mjs');
  writeFileSync(source, `// A sum.\n${defects.replace('let sum = 1; // BUG starts at one', 'let sum = 0;')}`);
  writeFileSync(path.join(project, 'src', 'more.mjs'), 'export const more = 1; // BUG is not read\n');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin at zero');
  const ended = await review('--since-last');
  const { findings, earlier = [], subject } = resultOf(project);
  expect(subject.base).toBe(git('rev-parse', 'HEAD~1').trim());
  expect(earlier.map(({ title, status, startLine }) => [title, status, startLine]).sort()).toEqual([
    ['secret in the code', 'moved', 6],
    ['starts at one', 'resolved', 2],
  ]);
  expect(findings.map(({ title }) => title)).toEqual(['is not read']);
  expect(ended.stdout).toContain('- resolved: src/total.mjs:2: starts at one (major)');
  expect(ended.stdout).toContain('2 findings, 2 at or above `major`.');
  git('checkout', '--quiet', '-b', 'other');
  expect(await review('--since-last')).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('no earlier review of other'),
  });
});

test('R-009 claims of a plan that do not hold are findings, with the heading above them', async () => {
  const { project, review } = await topic({ mode: 'content' });
  writeFileSync(
    path.join(project, 'plan.md'),
    '# Plan\n\n## Files to modify/create\n\n- src/not-there.ts (modify): read the limit\n\n## Approach\n\nRead it once.\n',
  );
  const ended = await review('plan.md', '--fail-on', 'never');
  expect(ended.code).toBe(0);
  const { subject, findings } = resultOf(project);
  expect(subject).toMatchObject({ kind: 'plan', title: 'plan plan.md' });
  expect(findings).toContainEqual(
    expect.objectContaining({
      ...{ path: 'plan.md', startLine: 5, evidence: 'found', preExisting: false },
      ...{ title: 'file src/not-there.ts: missing', symbol: 'Files to modify/create', severity: 'minor' },
    }),
  );
});
