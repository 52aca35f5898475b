import { setTimeout as sleep } from 'node:timers/promises';
import { cancelIdle } from '../../engine/cancel-idle.ts';
import { clockFrom } from '../../engine/clock.ts';
import { hasEnded, onOtherHost, unheardOnOtherHost } from '../../engine/engine-errors.ts';
import { leaveMessage } from '../../engine/inbox.ts';
import { foreignHold, isLive } from '../../engine/liveness.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord } from '../../engine/run-record.ts';
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
    if (global.dryRun) return rehearse(record, directory);
    const isTold = record.queue !== undefined || isLive(record, directory);
    if (record.queue !== undefined) {
      await cancelQueued(home, directory.id, invocation);
      await refreshQueued(home, invocation, [directory.id]);
    } else if (isTold) {
      await leaveMessage(directory.inbox, { type: 'cancel', reason: 'cancelled by another process' });
      await untilEnded(directory, signal);
    }
    const left = await readRunRecord(directory);
    if (!isFinal(left.status) && isTold && signal.aborted) return describeLeft(left, directory, invocation);
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

/** How long a process on another host is given to be heard of: one that is gone never will be. */
const otherHostMs = 5000;

/** Waits until whoever works on the run has ended it, or is gone. */
async function untilEnded(directory: RunDirectory, signal: AbortSignal): Promise<void> {
  const limit = performance.now() + otherHostMs;
  for (;;) {
    const record = await readRunRecord(directory);
    if (signal.aborted || !isLive(record, directory)) return;
    const hold = foreignHold(record, directory);
    if (hold !== undefined && performance.now() > limit)
      throw unheardOnOtherHost(directory.id, hold.holder, hold.file);
    await sleep(100);
  }
}

function rehearse(record: RunRecord, directory: RunDirectory): CommandResult {
  const status = shownStatus(record, directory);
  const hold = foreignHold(record, directory);
  const at = hold === undefined ? `process ${record.process?.pid}` : onOtherHost(hold.holder, hold.file);
  const by = isLive(record, directory) ? `, at work in ${at}` : '';
  return {
    exit: 0,
    json: { dryRun: true, run: record.run, status },
    text: `Would cancel ${record.run} (${status}${by}).\n`,
  };
}

/** A signal or the time limit took us away before whoever works on the run has ended it. */
function describeLeft(
  record: RunRecord,
  directory: RunDirectory,
  { signal, terminal }: Invocation,
): CommandResult {
  const status = shownStatus(record, directory);
  const state = `The run ${record.run} was told to end and is still ${status}.`;
  const next = `charrette show ${record.run}`;
  throwTimeLimit(signal, `Look whether it has ended: \`${next}\`.`, ` ${state}`);
  tell(terminal, `${state} Look whether it has ended: \`${next}\`.`);
  return { exit: stopExit(signal), json: { run: record.run, status } };
}
