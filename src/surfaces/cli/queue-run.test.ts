import path from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { writeRun } from '../../../test/support/web-run.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import type { GlobalFlags, Invocation } from './command.ts';
import { queueRun } from './queue-run.ts';

test('a run whose project could not be read was shown as queued, although no queue had it', async () => {
  const { home, directory, remove } = writeRun({ status: 'running' });
  onTestFinished(remove);
  const stream = new PassThrough();
  const invocation: Invocation = {
    arguments: [],
    options: {},
    global: { yes: false } as GlobalFlags,
    terminal: {
      stdin: stream,
      stdout: stream,
      stderr: stream,
      env: { CHARRETTE_DATABASE_URL: 'postgresql://nobody@localhost/none' },
    },
    signal: new AbortController().signal,
  };
  const gone = { ...home, project: path.join(home.project, 'gone') };
  await expect(queueRun(gone, directory.id, invocation, new Map())).rejects.toMatchObject({
    fix: expect.stringContaining(`charrette resume ${directory.id}`),
  });
  expect((await readRunRecord(directory)).status).toBe('stopped');
});
