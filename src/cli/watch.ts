import { setTimeout as sleep } from 'node:timers/promises';
import { followEvents } from '../engine/follow.ts';
import { isFinal, isLive, type RunRecord, readRunRecord } from '../engine/run-record.ts';
import { type ExitCode, exitCodes } from '../error-table.ts';
import { makeAnswerHere } from './answer-here.ts';
import type { CommandSpec } from './command.ts';
import { followQueued } from './follow-queued.ts';
import { withDocument } from './live/final-document.ts';
import { openRunView } from './live/run-view.ts';
import { findHome, findRun } from './project.ts';
import { shownStatus } from './run-list.ts';
import { settledRecord } from './settled-record.ts';

/** A queued run that nobody has yet will be taken, or taken over. */
function isAwaited({ queue, status }: RunRecord): boolean {
  return queue !== undefined && !isFinal(status) && status !== 'paused' && status !== 'stopped';
}

export const command: CommandSpec = {
  name: 'watch',
  summary: 'Follow a run of this or another process until it ends',
  examples: [
    ['charrette watch', 'the latest run, from its beginning'],
    ['charrette watch latest --plain', 'as lines instead of a picture'],
    ['charrette watch latest --output stream-json', 'its events, one JSON document a line'],
  ],
  arguments: [['[run]', 'run id, an unambiguous part of it, or latest']],
  async run(invocation) {
    const {
      arguments: [name],
      global,
      terminal,
      signal,
    } = invocation;
    const home = findHome(global.cwd);
    const directory = await findRun(home, name as string | undefined);
    const view = await openRunView(global, terminal, { signal });
    const idle = new AbortController();
    const watching = (async () => {
      while (!idle.signal.aborted) {
        const record = await readRunRecord(directory);
        // Give the last events of a run that nobody works on any more time to be read.
        if (!isLive(record) && !isAwaited(record)) setTimeout(() => idle.abort(), 300);
        await sleep(500, undefined, { signal: idle.signal }).catch(() => {});
      }
    })();
    const queued = isAwaited(await readRunRecord(directory));
    const copying = queued ? followQueued(home, directory.id, invocation, idle.signal) : undefined;
    const events = followEvents(directory.events, {
      signal: AbortSignal.any([signal, idle.signal]),
      until: (event) => event.type === 'run-end',
    });
    let over = false;
    const person = makeAnswerHere(directory, invocation, view);
    try {
      for await (const event of events) {
        view.report(event);
        person.hear(event);
        over = event.type === 'run-end';
      }
    } finally {
      await person.end();
      view.close();
    }
    const settled = over ? await settledRecord(directory, signal) : undefined;
    idle.abort();
    await Promise.all([watching, copying]);
    const record = settled ?? (await readRunRecord(directory));
    const status = shownStatus(record);
    const exit = (
      isFinal(record.status) ? (record.exit ?? 1) : status === 'paused' ? exitCodes.paused : 0
    ) as ExitCode;
    const result = { exit, json: { run: directory.id, status } };
    return view.live ? withDocument(result, directory, record, invocation) : result;
  },
};
