import { expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { writeRun } from '../../../test/support/web-run.ts';
import { reportData } from './report-data.ts';

test('a report leaves out an artifact that is too large, and nothing else', async () => {
  const run = writeRun();
  onTestFinished(run.remove);
  const { home, directory } = run;
  run.artifact('huge.txt', 'x'.repeat(17 * 1024 * 1024));
  run.artifact('plan.txt', '# Plan: keep me\n');
  const { artifacts, snapshot } = await reportData(home.project, directory);
  expect(Object.keys(artifacts)).toEqual(['plan.txt']);
  expect(snapshot.artifacts.map(({ name }) => name)).toEqual(['plan.txt']);
  const report = await runCommandLine('report', directory.id, '--cwd', home.project);
  expect(report).toMatchObject({ exit: 0, out: expect.stringContaining('keep me') });
});

test.each([
  ['design', 'plan.txt', 3],
  ['lite-plan', 'code-review.md', 1.5],
])('the report of a %s left out %s of %d MiB without a word', async (workflow, name, size) => {
  const run = writeRun({ workflow });
  onTestFinished(run.remove);
  run.artifact(name, 'x'.repeat(size * 1024 * 1024));
  // No report shows it, so none leaves it out.
  run.artifact('huge.txt', 'x'.repeat(3 * 1024 * 1024));
  const words = ['report', run.directory.id, '--cwd', run.home.project];
  const { out } = await runCommandLine(...words);
  expect(out).toContain(`\n- Left out, too large for this page: ${name}\n`);
  expect(JSON.parse((await runCommandLine(...words, '--json')).out).tooLarge).toEqual([name]);
});
