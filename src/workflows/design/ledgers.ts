import { createHash } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toCharretteError } from '../../base/errors.ts';
import { withDirectoryLock, writeFileAtomic } from '../../base/files/atomic.ts';
import { isInside, readTextFile } from '../../base/files/bounded.ts';
import { type Step, stepOrder, steps } from '../../council/breadcrumbs.ts';
import type { RunEvent } from '../../engine/event.ts';
import { readEvents } from '../../engine/event-log.ts';
import { type LedgerEntry, readLedger } from '../../engine/ledger.ts';
import { readSessionEnvironment } from './caller.ts';
import type { Desk } from './desk.ts';

/** L-870: the labels of the timing marks. */
export function timingLabel(step: Step): string {
  const names: Record<Step, string> = { ...steps, '0': 'session setup', '2b': 'plan' };
  return `design Step ${step} — ${names[step]}`;
}

/** L-580, L-720, L-740: the steps that also mark the token ledger. */
export function tokenLabel(step: Step): string | undefined {
  return step.startsWith('3') ? `Step 1 — design Step ${step} ${steps[step]}` : undefined;
}

/** L-871: the thirteen columns of a row. */
export type TimingRow = {
  type: 'mark' | 'vendor' | 'workflow';
  epochSeconds: number;
  skill: string;
  step: string;
  vendor?: string;
  taskKind?: string;
  startSeconds?: number;
  endSeconds?: number;
  output?: string;
  exitCode?: number;
  extra?: string;
};

/** L-874: vendor and stance names that are expected; others are written with a warning. */
const knownKinds =
  /^(?:cursor|codex|claude)-(?:sketch-(?:arch|edge|innovation|pragmatic|generic)|plan-(?:arch|edge|innovation|pragmatic)|debate-(?:thesis|antithesis)|judge|plan-voter)$/;

export type TaskKindVerdict = 'known' | 'unknown' | 'malformed';

/** L-874 */
export function checkTaskKind(kind: string): TaskKindVerdict {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(kind)) return 'malformed';
  return knownKinds.test(kind) ? 'known' : 'unknown';
}

export function markRow(step: Step, now: Date): TimingRow {
  return {
    type: 'mark',
    epochSeconds: Math.floor(now.getTime() / 1000),
    skill: 'design',
    step: timingLabel(step),
    extra: '-',
  };
}

/** L-871: a row as one TSV line. Empty cells are `-`; nothing in a cell can make a second cell or line. */
export function renderTimingRow(row: TimingRow): string {
  const duration =
    row.startSeconds === undefined || row.endSeconds === undefined
      ? undefined
      : row.endSeconds - row.startSeconds;
  const cells = [
    'v1',
    row.type,
    row.epochSeconds,
    row.skill,
    row.step,
    row.vendor,
    row.taskKind,
    row.startSeconds,
    row.endSeconds,
    duration,
    row.output === undefined ? undefined : path.basename(row.output),
    row.exitCode,
    row.extra,
  ];
  return `${cells.map(cell).join('\t')}\n`;
}

/** L-872: a run with a caller also writes to the caller's ledger. The path it gives counts only inside a root; roots are canonical. */
export function timingLedgerPath(
  given: string | undefined,
  directory: string,
  roots: readonly string[],
): string {
  const isAllowed = (file: string) =>
    path.isAbsolute(file) && roots.some((root) => file !== root && isInside(root, path.resolve(file)));
  return given !== undefined && isAllowed(given) ? given : path.join(directory, 'timing-ledger.tsv');
}

/**
 * L-873: adds the rows of a run to a ledger that others write too: under its lock, private mode, and not a second time when
 * a crash made the run add them again.
 */
export async function appendLedger(file: string, rows: string): Promise<void> {
  await withDirectoryLock(file, async () => {
    if (rows === '' || (await readTextFile(file))?.includes(rows)) return;
    await appendFile(file, rows, { mode: 0o600 });
  });
}

function cell(value: string | number | undefined): string {
  const text = value === undefined ? '' : String(value);
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim() || '-';
}

/** L-880: rows of the token ledger. */
export type TokenRow =
  | { type: 'mark'; step: string; ts: number }
  | {
      type: 'vendor';
      vendor: string;
      input: number;
      output: number;
      cache_read: number;
      cache_create: number;
      total: number;
      /** A short label such as `cursor_review`, never free text. */
      raw: string;
      ts: number;
    };

/** L-880: the vendor name of a caller's own transcript; our children of that vendor are `claude_sub`. */
export const reservedVendor = 'claude';

/** L-880: the ledger of a session. */
export function tokenLedgerName(sessionId: string): string {
  return `larch-tokens-${createHash('sha256').update(sessionId).digest('hex')}.jsonl`;
}

/** L-881: the session id by precedence; the working directory is the last resort. */
export function tokenSessionId(sources: { environment?: string; file?: string; directory: string }): string {
  return (
    sources.environment ||
    sources.file?.trim() ||
    createHash('sha256').update(sources.directory).digest('hex')
  );
}

export function vendorTokenRow(
  vendor: string,
  usage: { inputTokens: number; outputTokens: number; cachedInputTokens: number; cacheWriteTokens?: number },
  label: string,
  ts: number,
): TokenRow {
  const cacheCreate = usage.cacheWriteTokens ?? 0;
  return {
    type: 'vendor',
    vendor: vendor === reservedVendor ? `${vendor}_sub` : vendor,
    input: usage.inputTokens,
    output: usage.outputTokens,
    cache_read: usage.cachedInputTokens,
    cache_create: cacheCreate,
    total: usage.inputTokens + usage.outputTokens + usage.cachedInputTokens + cacheCreate,
    raw: label.replace(/[^A-Za-z0-9_]+/g, '_').slice(0, 40),
    ts,
  };
}

export function renderTokenRow(row: TokenRow): string {
  return `${JSON.stringify(row)}\n`;
}

/** L-870…L-882: the timing and token ledgers, made from the events and calls of the run. Observation only: an error is a warning. */
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
  const roots = [caller.directory, tmpdir()];
  const ledger = timingLedgerPath(session.LARCH_TIMING_LEDGER, caller.directory, roots);
  await appendLedger(ledger, timing);
  await appendLedger(path.join(caller.directory, name), tokens);
}

/** The starts of all steps, from the events. */
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
    const label = tokenLabel(step);
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
