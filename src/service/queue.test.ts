import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeRun } from '../../test/support/web-run.ts';
import { readRunRecord } from '../engine/run-record.ts';
import { openProject } from './project.ts';
import { enqueueRun } from './queue.ts';

test('a run whose project could not be read was shown as queued, although no queue had it', async () => {
  const { home, directory, remove } = writeRun({ status: 'running' });
  onTestFinished(remove);
  const env = { CHARRETTE_DATABASE_URL: 'postgresql://user@localhost/none' };
  const gone = { ...openProject(home.project, { env }), project: path.join(home.project, 'gone') };
  await expect(enqueueRun(gone, directory, {})).rejects.toMatchObject({
    fix: expect.stringContaining(`charrette resume ${directory.id}`),
  });
  expect((await readRunRecord(directory)).status).toBe('stopped');
});
