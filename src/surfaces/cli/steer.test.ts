import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { type WrittenRun, writeRun, writtenRunId } from '../../../test/support/web-run.ts';
import { readEvents } from '../../engine/event-log.ts';
import type { RunRecord } from '../../engine/run-record.ts';
import { RunTail } from '../web/run-tail.ts';
import { snapshotOf } from '../web/snapshot.ts';

const questions = [{ id: 'scope', text: 'Which scope is meant?' }];
let run: WrittenRun;

beforeEach(() => {
  run = asking('paused');
});
afterEach(() => run.remove());

function asking(status: RunRecord['status']): WrittenRun {
  const written = writeRun({ status });
  writeFileSync(
    written.directory.questions,
    JSON.stringify({ schemaVersion: 1, run: writtenRunId, questions, answers: [] }),
  );
  written.emit(
    { type: 'run-start', workflow: 'design', title: 'a written run' },
    { type: 'question-ask', questions },
    { type: 'run-pause', reason: 'question' },
  );
  return written;
}

const charrette = (...words: string[]) => runCommandLine(...words, '--cwd', run.home.project);

test('a paused run that is cancelled has ended for everybody: no question stays open', async () => {
  expect((await charrette('show')).out).toContain('Which scope is meant?');
  expect((await charrette('cancel', 'latest')).exit).toBe(0);
  expect(readEvents(run.directory.events).at(-1)).toMatchObject({ type: 'run-end', status: 'cancelled' });

  const shown = await charrette('show');
  expect(shown.out).toContain('cancelled');
  expect(shown.out).not.toMatch(/Which scope|waiting for an answer|charrette answer/);
  expect(JSON.parse((await charrette('show', '--json')).out)).toMatchObject({
    status: 'cancelled',
    questions: [],
  });

  const watched = await charrette('watch', '--json');
  expect([watched.exit, JSON.parse(watched.out)]).toEqual([1, { run: writtenRunId, status: 'cancelled' }]);
  expect(watched.err).not.toContain('charrette answer');
  expect((await charrette('answer', 'latest')).err).toContain('has ended: cancelled');
  const again = await charrette('cancel', 'latest');
  expect([again.exit, again.err]).toEqual([2, expect.stringContaining('has ended: cancelled')]);
});

test('a run that was cancelled without an event of it asks nothing either, nor on the page', async () => {
  run.remove();
  run = asking('cancelled');
  expect((await charrette('show')).out).not.toMatch(/Which scope|waiting for an answer/);
  expect(JSON.parse((await charrette('show', '--json')).out).questions).toEqual([]);
  expect((await snapshotOf(run.directory)).questions).toEqual([]);
  const tail = new RunTail(run.directory);
  const state = await new Promise<string>((resolve) =>
    tail.join(0, (frames) => {
      const found = /event: state\ndata: (.*)\n/.exec(frames)?.[1];
      if (found !== undefined) resolve(found);
    }),
  );
  tail.close();
  expect(JSON.parse(state)).toEqual({ status: 'cancelled', questions: [] });
});
