import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeRun } from '../../test/support/web-run.ts';
import { openProject } from './project.ts';
import { resumeRun } from './start.ts';

/** A stopped run, and a program that is started for it instead of this one. */
function stoppedRun(code: string) {
  const { home, directory, remove } = writeRun({ status: 'stopped' });
  onTestFinished(remove);
  mkdirSync(path.join(home.project, '.git'), { recursive: true });
  const script = path.join(home.project, 'program.mjs');
  const event = {
    v: 1,
    id: '1',
    run: directory.id,
    seq: 1,
    time: new Date().toISOString(),
    type: 'run-resume',
    attempt: 2,
  };
  writeFileSync(
    script,
    `import { appendFileSync, writeFileSync } from 'node:fs';
    const begin = () => appendFileSync(${JSON.stringify(directory.events)}, ${JSON.stringify(`${JSON.stringify(event)}\n`)});
    const record = (text) => writeFileSync(${JSON.stringify(path.join(home.project, 'record.txt'))}, text);
    ${code}`,
  );
  const project = openProject(home.project, { env: {}, program: [process.execPath, script] });
  return { project, directory, record: () => readFileSync(path.join(home.project, 'record.txt'), 'utf8') };
}

test('a detached run that cannot begin throws the error of its process', async () => {
  const error = { code: 'dirty-tree', message: 'There are changes.', fix: 'Commit them.' };
  const { project, directory } = stoppedRun(
    `console.log(${JSON.stringify(JSON.stringify({ error }))}); process.exitCode = 5;`,
  );
  await expect(resumeRun(project, directory, 'detached')).rejects.toMatchObject(error);
});

test('a detached run gets one signal, however often it is stopped, and its id as argument', async () => {
  const { project, directory, record } = stoppedRun(
    `let signals = 0;
    process.on('SIGINT', () => {
      signals += 1;
      record([signals, ...process.argv.slice(-3)].join(' '));
      setTimeout(() => process.exit(130), 300);
    });
    setInterval(() => {}, 1000);
    begin();`,
  );
  const handle = await resumeRun(project, directory, 'detached', { remoteAnswers: true });
  const types: string[] = [];
  for await (const { type } of handle.events) {
    types.push(type);
    await Promise.all([handle.stop(), handle.stop()]);
  }
  expect(types).toEqual(['run-resume']);
  expect(record()).toBe(`1 run-worker --remote-answers ${directory.id}`);
  expect((await handle.ended).status).toBe('stopped');
});
