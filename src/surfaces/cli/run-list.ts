import { headline, shortCount } from '../../base/text/format.ts';
import { untrustedLine } from '../../base/text/untrusted.ts';
import { readLedger, totalsOf } from '../../engine/ledger.ts';
import { isLive } from '../../engine/liveness.ts';
import { newestRuns } from '../../engine/newest-runs.ts';
import { type Home, type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecordSync } from '../../engine/run-record.ts';
import { markedWaiting } from '../../engine/waiting-runs.ts';
import type { Fitting } from './fitting.ts';
import { textTable } from './text-table.ts';

/** A run as lists show it. `interrupted`: its process is gone without having said goodbye. */
export type RunSummary = {
  run: string;
  workflow: string;
  title: string;
  status: RunRecord['status'] | 'interrupted' | 'unreadable';
  created: string;
  calls: number;
  tokens: number;
  /** Calls that did not say how many tokens they used. */
  callsUnknown: number;
  usd: number;
  /** Why a queued run does not go on. */
  waits?: string;
};

export function shownStatus(record: RunRecord, directory: RunDirectory): RunSummary['status'] {
  return record.status === 'running' && !isLive(record, directory) ? 'interrupted' : record.status;
}

/** How many runs a list has unless more are asked for. */
export const usuallyListed = 50;

/** A part of all runs, newest first. `queued`: those of them that a queue of workers has and that are not over. */
export type RunPage = { runs: RunSummary[]; total: number; queued: string[] };

/** The newest runs; only those that are shown are read. */
export async function listRuns(
  home: Home,
  { limit = usuallyListed, offset = 0 }: { limit?: number; offset?: number } = {},
): Promise<RunPage> {
  const { ids, total } = await newestRuns(home, offset + limit);
  const queued: string[] = [];
  const runs = ids.slice(offset).map((id) => {
    const { summary, isQueued } = readRun(home, id);
    if (isQueued) queued.push(id);
    return summary;
  });
  return { runs, total, queued };
}

/** Older runs at most that are listed because they wait. */
const mostWaiting = 100;

/** The newest runs, and after them the older ones that wait for a person. */
export async function listRunsAndWaiting(home: Home, limit: number): Promise<RunPage> {
  const page = await listRuns(home, { limit });
  const listed = new Set(page.runs.map(({ run }) => run));
  const waiting = markedWaiting(home)
    .filter((id) => !listed.has(id))
    .slice(0, mostWaiting)
    .map((id) => summaryOf(home, id))
    .filter(({ status }) => status === 'paused');
  return { ...page, runs: [...page.runs, ...waiting] };
}

/** One run as lists show it; one whose record is broken is listed as such instead of hiding the rest. */
export function summaryOf(home: Home, id: string): RunSummary {
  return readRun(home, id).summary;
}

function readRun(home: Home, id: string): { summary: RunSummary; isQueued: boolean } {
  const directory = runDirectoryOf(home, id);
  const nothing = { calls: 0, tokens: 0, callsUnknown: 0, usd: 0 };
  try {
    const record = readRunRecordSync(directory);
    const { workflow, title, created, queue } = record;
    const cost = costOf(directory) ?? nothing;
    return {
      summary: { run: id, workflow, title, status: shownStatus(record, directory), created, ...cost },
      isQueued: queue !== undefined && !isFinal(record.status),
    };
  } catch {
    const cost = costOf(directory) ?? nothing;
    const unread = { run: id, workflow: '?', title: '', status: 'unreadable', created: '' } as const;
    return { summary: { ...unread, ...cost }, isQueued: false };
  }
}

/** Nothing when the ledger is not one. */
function costOf({
  ledger,
}: RunDirectory): Pick<RunSummary, 'calls' | 'tokens' | 'callsUnknown' | 'usd'> | undefined {
  try {
    const totals = totalsOf(readLedger(ledger));
    const tokens = totals.inputTokens + totals.outputTokens;
    return { calls: totals.calls, tokens, callsUnknown: totals.basis.unknown, usd: totals.usd };
  } catch {
    return undefined;
  }
}

/**
 * A table for people. On a terminal ids are short, numbers go where there is no room for them, and titles are cut. What is not in
 * it is counted below.
 */
export function renderRuns(
  { runs, total }: Pick<RunPage, 'runs' | 'total'>,
  now: number,
  fitting?: Fitting,
): string {
  if (runs.length === 0) return 'No runs yet. Start one with `charrette design "…"`.\n';
  const short = fitting === undefined ? undefined : shortIds(runs.map(({ run }) => run));
  const nameOf = (run: string) => short?.get(run) ?? run;
  const rows = runs.map((run) => [
    nameOf(run.run),
    run.status,
    describeAge(run.created, now),
    run.workflow,
    `${run.calls}`,
    describeTokens(run),
    untrustedLine(headline(run.title)),
  ]);
  const head = ['run', 'status', 'age', 'workflow', 'calls', 'tokens', 'title'];
  const right = [false, false, true, false, true, true];
  const room = fitting === undefined ? {} : { width: fitting.width, spare: [4, 5], lastAtLeast: 30 };
  const waiting = runs.flatMap(({ run, waits }) =>
    waits === undefined ? [] : [`${nameOf(run)} waits: ${untrustedLine(waits)}`],
  );
  const more = total - runs.length;
  const rest = more > 0 ? [`${more} more: --limit N, or --all`] : [];
  const lines = [...textTable([head, ...rows], { right, ...room }), ...waiting, ...rest];
  return `${lines.map((line) => fitting?.cut(line, fitting.width) ?? line).join('\n')}\n`;
}

/** How much of the end of an id usually names one run only. */
const shortEnd = 8;

/** The end of each id that no other one of the list has; every command takes a run by such a part. */
export function shortIds(ids: readonly string[]): Map<string, string> {
  const short = new Map<string, string>();
  let open = ids;
  for (let length = shortEnd; open.length > 0; length += 1) {
    const ends = Map.groupBy(open, (id) => id.slice(-length));
    for (const [end, [id, other]] of ends)
      if (id !== undefined && (other === undefined || id === end)) short.set(id, end);
    open = open.filter((id) => !short.has(id));
  }
  return short;
}

function describeTokens({ calls, callsUnknown, tokens }: RunSummary): string {
  if (callsUnknown === 0) return shortCount(tokens);
  return callsUnknown === calls ? '?' : `${shortCount(tokens)}+?`;
}

function describeAge(created: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(created)) / 60_000);
  if (Number.isNaN(minutes)) return '';
  if (minutes < 60) return `${minutes}m ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)}h ago`;
  return `${Math.floor(minutes / 1440)}d ago`;
}
