import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { directoryOf, git, makeProject, readOf, run, stateOf } from '../support/feature-project.ts';
import { startCharrette, until } from '../support/live-program.ts';
import { type Ended, runsOf } from '../support/program.ts';

const words = ['feature', 'specify', '--about', 'about.md'];
const byHand = '# Spec\n\nEverything here was written by hand.\n';
const marker = () => path.join(mkdtempSync(path.join(tmpdir(), 'marker-')), 'go');
const write = (project: string, text: string) =>
  writeFileSync(path.join(directoryOf(project), 'spec.md'), text);
const artifactsOf = (project: string) =>
  path.join(project, '.charrette/runs', runsOf(project)[0] ?? '', 'artifacts');

/** Starts the specification and writes spec.md by hand during a call. */
async function editedWhile(
  task: string,
  edit: (project: string) => string,
  start = (project: string) => run(project, ...words, '--yes'),
): Promise<{ project: string; ended: Ended; text: string }> {
  const file = marker();
  const project = makeProject('wait', file, task);
  git(project, 'config', 'user.name', 'Ann');
  git(project, 'config', 'user.email', 'ann@example.com');
  await run(project, 'feature', 'new', 'Search');
  const running = start(project);
  await until(() => existsSync(`${file}.begun`));
  const text = edit(project);
  write(project, text);
  writeFileSync(file, '');
  return { project, ended: await running, text };
}

test('a specification that is written by hand while the first draft is made stays and is reviewed', async () => {
  const { project, ended } = await editedWhile('feature-spec', () => byHand);
  expect(ended.code, ended.stderr).toBe(0);
  const draft = path.join(artifactsOf(project), 'spec-first-draft.md');
  expect(ended.stderr).toContain(`spec.md was changed while writer worked on its first draft`);
  expect(ended.stderr).toContain(draft);
  expect(readFileSync(draft, 'utf8')).toContain('## Acceptance Criteria');
  // The first reviewer rejects what was written by hand; the revision after it is made in the knowledge of it.
  expect(readOf(project, '.review-history.md').match(/Revised spec\.md for 1 issue$/gm)).toHaveLength(2);
  expect(stateOf(project)).toMatchObject({ lastCompletedPhase: 'specify' });
});

test('a researcher without an answer is named in run.json and in the JSON result', async () => {
  const project = makeProject('fail-once', marker(), 'design-codebase-explorer');
  await run(project, 'feature', 'new', 'Search');
  write(
    project,
    `${byHand}\n## Acceptance Criteria\n- AC-1 it finds products by their tags and shows them by name, the newest first.\n`,
  );
  const ended = await run(project, 'feature', 'design', '--feature', '001', '--yes', '--json');
  expect(ended.code, ended.stdout).toBe(0);
  const loss = { role: 'research', planned: 'writer', actual: null };
  const { degraded } = JSON.parse(ended.stdout);
  expect(degraded).toEqual([expect.objectContaining(loss)]);
  const record = readFileSync(path.join(path.dirname(artifactsOf(project)), 'run.json'), 'utf8');
  expect(JSON.parse(record).degraded).toEqual(degraded);
});

test('a document that is changed during its revision stays, the revision goes to a separate file, and nothing is committed for it', async () => {
  const { project, ended, text } = await editedWhile(
    'feature-spec-revision',
    (at) => `${readOf(at, 'spec.md')}\nBy hand.\n`,
    (at) => run(at, ...words, '--yes', '--max', '2', '--commit'),
  );
  expect(ended.code, ended.stderr).toBe(0);
  const draft = path.join(artifactsOf(project), 'spec-revision-1-for-spec-reviewer.md');
  expect(readFileSync(draft, 'utf8')).toContain('Revision 1.');
  expect(readOf(project, '.review-history.md')).toContain(
    'spec.md was changed by hand; the revision was set aside',
  );
  expect(git(project, 'log', '--format=%s', '--', 'docs').split('\n')).toHaveLength(2);
  // The reviewer saw what was changed by hand, and so did the author after the next one.
  expect(readOf(project, 'spec.md')).toBe(`${text}\nRevision 1.\n`);
});

test('without --yes the user chooses which text counts; the author’s replaces it only then, and the other is kept', async () => {
  const { project, ended, text } = await editedWhile(
    'feature-spec',
    () => byHand,
    async (at) => {
      expect((await run(at, ...words)).code).toBe(7);
      return run(at, 'answer', runsOf(at)[0] ?? '', 'consent=yes');
    },
  );
  expect([ended.code, ended.stderr]).toEqual([7, expect.stringContaining('Which one counts?')]);
  expect(readOf(project, 'spec.md')).toBe(text);
  const [id = ''] = runsOf(project);
  const answered = await run(project, 'answer', id, 'changed-spec-first-draft=author');
  expect(answered.code, answered.stderr).toBe(0);
  expect(readOf(project, 'spec.md')).toContain('## Acceptance Criteria');
  expect(readFileSync(path.join(artifactsOf(project), 'spec-first-draft-replaced.md'), 'utf8')).toBe(text);
});

test.each([
  ['feature-spec', () => byHand, 'first-draft'],
  ['feature-spec-revision', (before: string) => `${before}\nBy hand.\n`, 'revision-1-for-spec-reviewer'],
])('a document that is changed after %s failed is read again on resume', async (task, edit, call) => {
  const project = makeProject('fail-once', marker(), task);
  await run(project, 'feature', 'new', 'Search');
  const failed = await run(project, ...words, '--yes', '--max', '2');
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('told to fail once')]);
  const there = path.join(directoryOf(project), 'spec.md');
  const text = edit(existsSync(there) ? readFileSync(there, 'utf8') : '');
  write(project, text);
  const [id = ''] = runsOf(project);
  const resumed = await run(project, 'resume', id);
  expect(resumed.code, resumed.stderr).toBe(0);
  // The author starts from the current text, so no question is needed.
  expect(resumed.stderr).not.toContain('was changed while');
  expect(readdirSync(artifactsOf(project)).filter((name) => name.startsWith('spec-'))).toEqual([]);
  const lanes = readdirSync(path.join(artifactsOf(project), '../lanes'));
  const calls = lanes.filter((name) => name.startsWith(`write-spec-${call}-`));
  expect(calls).toHaveLength(task === 'feature-spec' ? 2 : 3);
  expect(readOf(project, 'spec.md')).toContain(text.trim());
});

test.each(['SIGKILL', 'SIGINT'] as const)(
  'a document that is changed after %s in the middle of a call stays',
  async (signal) => {
    const file = marker();
    const project = makeProject('wait', file, 'feature-spec-revision');
    await run(project, 'feature', 'new', 'Search');
    const live = startCharrette([...words, '--yes'], { cwd: project });
    await until(() => existsSync(`${file}.begun`));
    live.kill(signal);
    await live.ended;
    writeFileSync(file, '');
    const text = `${readOf(project, 'spec.md')}\nBy hand.\n`;
    write(project, text);
    const [id = ''] = runsOf(project);
    const resumed = await run(project, 'resume', id, '--yes');
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stderr).toContain('spec.md was changed while writer worked on its revision 1');
    const name = 'spec-revision-1-for-spec-reviewer.md';
    expect(readFileSync(path.join(artifactsOf(project), name), 'utf8')).toContain('Revision 1.');
  },
);

test('a document written right before the process died does not count as a change by hand', async () => {
  const project = makeProject('fail-once', marker(), 'specify-spec-reviewer');
  await run(project, 'feature', 'new', 'Search');
  expect((await run(project, ...words, '--yes')).code).toBe(1);
  // As a kill leaves it that comes after the document and before the record of it.
  const steps = path.join(artifactsOf(project), '../steps');
  const [record = ''] = readdirSync(steps).filter((name) => name.startsWith('write-spec.md-first-draft'));
  rmSync(path.join(steps, record));
  const resumed = await run(project, 'resume', runsOf(project)[0] ?? '');
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stderr).not.toContain('was changed while');
});
