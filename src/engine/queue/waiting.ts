import { obstacle } from './place.ts';
import type { QueueEntry } from './queued-run.ts';
import type { WorkerEntry } from './workers.ts';

/** Notes that say why a run waits, rather than how it came to wait. */
const reasons: readonly RegExp[] = [/^process \d+ of a worker/, /^it could not begin: /];

/** Said of a run that waits for a process that does not know that it lost it. */
export function heldNote(pid: number): string {
  return `process ${pid} of a worker that fell silent still has it; it goes on when that process wakes or ends`;
}

/** Said of a run that a worker could not take up, though others may. */
export function refusedNote(message: string): string {
  return `it could not begin: ${message}`;
}

/** Why a run does not go on, in words; nothing when it goes on, asks or has ended. */
export function whyWaiting(
  entry: QueueEntry,
  workers: readonly WorkerEntry[],
  heartbeatTimeoutSeconds: number,
): string | undefined {
  const live = workers.filter((worker) => worker.silentSeconds <= heartbeatTimeoutSeconds);
  if (entry.state === 'running' || entry.state === 'waiting') {
    if (live.some(({ worker }) => worker === entry.worker)) return undefined;
    return `its worker ${entry.worker ?? ''} is silent${live.length === 0 ? ' and no other is there' : ''}`;
  }
  if (entry.state === 'ended') return undefined;
  if (live.length === 0) return 'no worker is there';
  const sameCode = live.filter(({ codeVersion }) => codeVersion === entry.codeVersion);
  if (sameCode.length === 0) return `no worker has workflow code ${entry.codeVersion}`;
  const labelled = sameCode.filter(({ labels }) => entry.labels.every((label) => labels.includes(label)));
  if (labelled.length === 0) return `no worker has the labels ${entry.labels.join(', ')}`;
  const places = labelled.flatMap((worker) => worker.places);
  const obstacles = places.flatMap((place) => obstacle(entry, place) ?? []);
  if (obstacles.length < places.length)
    return reasons.some((reason) => reason.test(entry.note ?? '')) ? entry.note : 'workers are busy';
  const own = places.filter(({ repository }) => repository === entry.repository);
  if (own.length === 0) return `no worker has the repository ${entry.repository}`;
  const obstaclesThere = own.flatMap((place) => obstacle(entry, place) ?? []);
  const size = entry.bound === undefined ? '' : ` (${entry.bound})`;
  return `no worker can do it: ${[...new Set(obstaclesThere)].slice(0, 3).join('; ')}${size}`;
}
