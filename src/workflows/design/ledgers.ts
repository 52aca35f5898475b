import { tmpdir } from 'node:os';
import path from 'node:path';
import { toCharretteError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files/atomic.ts';
import { readSessionEnvironment } from '../../council/panel/session-env.ts';
import { type Step, stepOrder, tokenLabels } from '../../council/panel/steps.ts';
import {
  appendLedger,
  checkTaskKind,
  markRow,
  renderTimingRow,
  type TimingRow,
  timingLedgerPath,
} from '../../council/panel/timing-ledger.ts';
import {
  renderTokenRow,
  type TokenRow,
  tokenLedgerName,
  tokenSessionId,
  vendorTokenRow,
} from '../../council/panel/token-ledger.ts';
import type { RunEvent } from '../../engine/event.ts';
import { readEvents } from '../../engine/event-log.ts';
import { type LedgerEntry, readLedger } from '../../engine/ledger.ts';
import type { Desk } from './desk.ts';

/** L-870…L-882: the timing and token ledgers, made from what the run has on record. Observation only: trouble is a warning. */
export async function writeLedgers(desk: Desk): Promise<void> {
  const trouble = await desk.context.step('write ledgers', async () => {
    try {
      await writeAll(desk);
    } catch (error) {
      return toCharretteError(error).message;
    }
    return undefined;
  });
  if (trouble !== undefined) desk.warn(`The ledgers were not written: ${trouble}`);
}

async function writeAll(desk: Desk): Promise<void> {
  const { directory } = desk.context.live;
  const { caller, project } = desk.inputs;
  const events = readEvents(directory.events);
  const calls = readLedger(directory.ledger);
  const timing = timingRows(events, calls).map(renderTimingRow).join('');
  const tokens = tokenRows(events, calls).map(renderTokenRow).join('');
  const session = caller === undefined ? {} : await readSessionEnvironment(caller.sessionEnvironment);
  const name = tokenLedgerName(
    tokenSessionId({
      ...(session.LARCH_TOKEN_SESSION_ID === undefined
        ? {}
        : { environment: session.LARCH_TOKEN_SESSION_ID }),
      file: directory.id,
      directory: project,
    }),
  );
  await writeFileAtomic(path.join(directory.root, 'timing-ledger.tsv'), timing);
  await writeFileAtomic(path.join(directory.root, name), tokens);
  if (caller === undefined) return;
  const ledger = timingLedgerPath({
    ...(session.LARCH_TIMING_LEDGER === undefined ? {} : { environment: session.LARCH_TIMING_LEDGER }),
    implementDirectory: caller.directory,
    roots: [caller.directory, tmpdir()],
  });
  if (ledger !== undefined) await appendLedger(ledger, timing);
  await appendLedger(path.join(caller.directory, name), tokens);
}

/** The first start of every step, as it was said. */
function stepStarts(events: readonly RunEvent[]): { step: Step; time: Date }[] {
  return events.flatMap((event) =>
    event.type === 'phase-start' && stepOrder.includes(event.phase as Step)
      ? [{ step: event.phase as Step, time: new Date(event.time) }]
      : [],
  );
}

function timingRows(events: readonly RunEvent[], calls: readonly LedgerEntry[]): TimingRow[] {
  const vendors = calls.map((call): TimingRow => {
    const end = epoch(call.time);
    return {
      type: 'vendor',
      epochSeconds: end,
      skill: 'design',
      step: call.phase,
      vendor: call.agent,
      taskKind: taskKindOf(call),
      startSeconds: end - Math.round(call.durationMs / 1000),
      endSeconds: end,
      extra: 'complete',
    };
  });
  return [
    ...stepStarts(events).map(({ step, time }) => markRow(step, time)),
    // L-874: a malformed kind has no place in the ledger.
    ...vendors.filter(({ taskKind = '' }) => checkTaskKind(taskKind) !== 'malformed'),
  ];
}

/** L-874: the kind of a call: a sketch or review is called after its seat, the others after who did it. */
function taskKindOf({ task, seat, agent }: LedgerEntry): string {
  if (task === 'sketch' || task === 'plan-review') return seat;
  if (task === 'repair') return `${agent}-repair`;
  return `${agent}-${task === 'vote' ? 'plan-voter' : task}`;
}

/** L-580, L-720, L-740, L-880: marks of the steps that have one, and every call, in the order of time. */
function tokenRows(events: readonly RunEvent[], calls: readonly LedgerEntry[]): TokenRow[] {
  const marks = stepStarts(events).flatMap(({ step, time }): TokenRow[] => {
    const label = tokenLabels[step];
    return label === undefined ? [] : [{ type: 'mark', step: label, ts: Math.floor(time.getTime() / 1000) }];
  });
  const vendors = calls.map((call) =>
    vendorTokenRow(call.agent, call.usage, `${call.agent}_${call.task}`, epoch(call.time)),
  );
  return [...marks, ...vendors].sort((a, b) => a.ts - b.ts);
}

function epoch(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}
