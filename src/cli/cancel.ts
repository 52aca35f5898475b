import { setTimeout as sleep } from 'node:timers/promises';
import { leaveMessage } from '../engine/inbox.ts';
import { isFinal, isLive, readRunRecord, updateRunRecord } from '../engine/run-record.ts';
import { CharretteError } from '../errors.ts';
import type { CommandSpec } from './command.ts';
import { findHome, findRun } from './project.ts';
import { refreshQueued } from './queue-facts.ts';
import { cancelQueued } from './queue-run.ts';
import { worktreeLine, worktreesOf } from './run-work.ts';

export const command: CommandSpec = {
  name: 'cancel',
  summary: 'End a run for good; what it wrote stays',
  examples: [['charrette cancel latest', 'end the latest run, also one of another process']],
  arguments: [['<run>', 'run id, an unambiguous part of it, or latest']],
  async run(invocation) {
    const {
      arguments: [name],
      global,
      signal,
    } = invocation;
    const home = findHome(global.cwd);
    const directory = await findRun(home, name as string);
    await refreshQueued(home, invocation, [directory.id]);
    const record = await readRunRecord(directory);
    if (isFinal(record.status)) {
      throw new CharretteError({
        code: 'usage',
        message: `The run ${directory.id} has ended: ${record.status}.`,
      });
    }
    if (record.queue !== undefined) {
      await cancelQueued(home, directory.id, invocation);
      await refreshQueued(home, invocation, [directory.id]);
    }
    if (record.queue === undefined && isLive(record)) {
      await leaveMessage(directory.inbox, { type: 'cancel', reason: 'cancelled by another process' });
      while (!signal.aborted && isLive(await readRunRecord(directory))) await sleep(100);
    }
    // Nobody works on it, or whoever did is gone without having read the message.
    if (!isFinal((await readRunRecord(directory)).status) && !signal.aborted)
      await updateRunRecord(directory, { status: 'cancelled', exit: 1, ended: new Date().toISOString() });
    const worktrees = await worktreesOf(directory);
    return {
      exit: 0,
      json: { run: directory.id, status: 'cancelled', ...(worktrees.length === 0 ? {} : { worktrees }) },
      text: `Cancelled ${directory.id}. ${worktreeLine(worktrees)}`.trimEnd().concat('\n'),
    };
  },
};
