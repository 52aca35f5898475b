import { expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '../../test/support/run-command-line.ts';
import { writeRun } from '../../test/support/web-run.ts';
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
