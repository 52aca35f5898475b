import { setTimeout as sleep } from 'node:timers/promises';
import { cancelIdle } from '../engine/cancel-idle.ts';
import { clockFrom } from '../engine/clock.ts';
import { hasEnded } from '../engine/engine-errors.ts';
import { leaveMessage } from '../engine/inbox.ts';
import { isFinal, isLive, type RunRecord, readRunRecord } from '../engine/run-record.ts';
import type { CommandResult, CommandSpec, Invocation } from './command.ts';
import { findHome, findRun } from './project.ts';
import { refreshQueued } from './queue-facts.ts';
import { cancelQueued } from './queue-run.ts';
import { shownStatus } from './run-list.ts';
import { worktreeLine, worktreesOf } from './run-work.ts';
import { stopExit, throwTimeLimit } from './stopped.ts';
import { tell } from './tell.ts';

export const command: CommandSpec = {
  name: 'cancel',
  summary: 'End a run for good; what it wrote stays',
  examples: [['charrette cancel latest', 'end the latest run, also one of another process']],
  arguments: [['<run>', 'run id, an unambiguous part of it, or latest']],
  dryRun: 'says',
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
    if (isFinal(record.status)) throw hasEnded(record);
    if (global.dryRun) return rehearse(record);
    const isTold = record.queue !== undefined || isLive(record);
    if (record.queue !== undefined) {
      await cancelQueued(home, directory.id, invocation);
      await refreshQueued(home, invocation, [directory.id]);
    } else if (isTold) {
      await leaveMessage(directory.inbox, { type: 'cancel', reason: 'cancelled by another process' });
      while (!signal.aborted && isLive(await readRunRecord(directory))) await sleep(100);
    }
    const left = await readRunRecord(directory);
    if (!isFinal(left.status) && isTold && signal.aborted) return describeLeft(left, invocation);
    // Nobody works on it, or whoever did is gone without having read the message.
    const clock = clockFrom(invocation.terminal.env);
    const after = isFinal(left.status) ? left : await cancelIdle(directory, clock);
    if (after.status !== 'cancelled') throw hasEnded(after);
    const worktrees = await worktreesOf(directory);
    return {
      exit: 0,
      json: { run: directory.id, status: after.status, ...(worktrees.length === 0 ? {} : { worktrees }) },
      text: `Cancelled ${directory.id}. ${worktreeLine(worktrees)}`.trimEnd().concat('\n'),
    };
  },
};

function rehearse(record: RunRecord): CommandResult {
  const status = shownStatus(record);
  const by = isLive(record) ? `, at work in process ${record.process?.pid}` : '';
  return {
    exit: 0,
    json: { dryRun: true, run: record.run, status },
    text: `Would cancel ${record.run} (${status}${by}).\n`,
  };
}

/** A signal or the time limit took us away before whoever works on the run has ended it. */
function describeLeft(record: RunRecord, { signal, terminal }: Invocation): CommandResult {
  const status = shownStatus(record);
  const state = `The run ${record.run} was told to end and is still ${status}.`;
  const next = `charrette show ${record.run}`;
  throwTimeLimit(signal, `Look whether it has ended: \`${next}\`.`, ` ${state}`);
  tell(terminal, `${state} Look whether it has ended: \`${next}\`.`);
  return { exit: stopExit(signal), json: { run: record.run, status } };
}
