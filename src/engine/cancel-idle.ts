import type { Clock } from './clock.ts';
import { heldElsewhere } from './engine-errors.ts';
import { EventLog } from './event-log.ts';
import { leaveMessage } from './inbox.ts';
import { isLive, lockOnOtherHost, waitForLock } from './lock.ts';
import { homeAround, listRunIds, type RunDirectory, runDirectoryOf } from './run-directory.ts';
import { isFinal, type RunRecord, readRunRecordSync, updateRunRecord } from './run-record.ts';

const reason = 'cancelled while no process worked on it';

/** Ends a run that no process works on, and those that it started, as the engine ends one that it works on. */
export async function cancelIdle(directory: RunDirectory, clock: Clock): Promise<RunRecord> {
  const record = readRunRecordSync(directory);
  if (isFinal(record.status)) return record;
  const hold = lockOnOtherHost(record, directory);
  if (hold !== undefined) throw heldElsewhere(directory.id, hold.holder, hold.file);
  // A run of the queue was cancelled there first.
  if (record.process !== undefined && isLive({ ...record, queue: undefined }, directory))
    throw heldElsewhere(directory.id, record.process, directory.lock);
  for (const child of await startedBy(directory)) await cancelChild(child, clock);
  return putCancelled(directory, clock);
}

/** Emits the end of a cancelled run, then saves it; two processes that do so in parallel emit it once. */
export async function putCancelled(directory: RunDirectory, clock: Clock): Promise<RunRecord> {
  const attempt = await waitForLock(directory.lock);
  if (!attempt.held) throw heldElsewhere(directory.id, attempt.holder, directory.lock);
  try {
    const record = readRunRecordSync(directory);
    if (isFinal(record.status)) return record;
    const ended = tellCancelled(directory, clock);
    return await updateRunRecord(directory, { status: 'cancelled', exit: 1, ended, process: undefined });
  } finally {
    attempt.lock.release();
  }
}

function tellCancelled(directory: RunDirectory, clock: Clock): string {
  const events = new EventLog(directory.id, directory.events, clock);
  try {
    return events.emitRunEnd({ status: 'cancelled', exit: 1, message: reason }).time;
  } finally {
    events.close();
  }
}

/** Child runs are named after their parent, next to it. */
async function startedBy(directory: RunDirectory): Promise<RunDirectory[]> {
  const home = homeAround(directory);
  const ids = await listRunIds(home);
  return ids.filter((id) => id.startsWith(`${directory.id}-`)).map((id) => runDirectoryOf(home, id));
}

async function cancelChild(directory: RunDirectory, clock: Clock): Promise<void> {
  const record = recordOf(directory);
  if (record === undefined || isFinal(record.status)) return;
  if (isLive(record, directory)) await leaveMessage(directory.inbox, { type: 'cancel', reason });
  else await cancelIdle(directory, clock);
}

function recordOf(directory: RunDirectory): RunRecord | undefined {
  try {
    return readRunRecordSync(directory);
  } catch {
    return undefined;
  }
}
