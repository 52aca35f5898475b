import { readLedger, totalsOf } from '../engine/ledger.ts';
import { type Home, listRunIds, runDirectoryOf } from '../engine/run-directory.ts';
import { isLive, type RunRecord, readRunRecord } from '../engine/run-record.ts';
import { shortCount } from '../text/short-count.ts';
import { untrustedLine } from '../text/untrusted-line.ts';
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

export function shownStatus(record: RunRecord): RunSummary['status'] {
  return record.status === 'running' && !isLive(record) ? 'interrupted' : record.status;
}

/** All runs, newest first; one whose record is broken is listed as such instead of hiding the rest. */
export async function listRuns(home: Home): Promise<RunSummary[]> {
  const summaries: RunSummary[] = [];
  for (const id of await listRunIds(home)) {
    const directory = runDirectoryOf(home, id);
    const totals = totalsOf(readLedger(directory.ledger));
    const cost = {
      calls: totals.calls,
      tokens: totals.inputTokens + totals.outputTokens,
      callsUnknown: totals.basis.unknown,
      usd: totals.usd,
    };
    try {
      const record = await readRunRecord(directory);
      const { workflow, title, created } = record;
      summaries.push({ run: id, workflow, title, status: shownStatus(record), created, ...cost });
    } catch {
      summaries.push({ run: id, workflow: '?', title: '', status: 'unreadable', created: '', ...cost });
    }
  }
  return summaries.reverse();
}

/** A table for people; with a width the titles are cut to it. */
export function renderRuns(
  runs: readonly RunSummary[],
  now: number,
  fit: (line: string) => string = (line) => line,
): string {
  if (runs.length === 0) return 'No runs yet. Start one with `charrette design "…"`.\n';
  const rows = runs.map((run) => [
    run.run,
    run.status,
    describeAge(run.created, now),
    run.workflow,
    `${run.calls}`,
    describeTokens(run),
    untrustedLine(run.title),
  ]);
  const head = ['run', 'status', 'age', 'workflow', 'calls', 'tokens', 'title'];
  const right = [false, false, true, false, true, true];
  const waiting = runs.flatMap(({ run, waits }) =>
    waits === undefined ? [] : [`${run} waits: ${untrustedLine(waits)}`],
  );
  return `${[...textTable([head, ...rows], { right }), ...waiting].map(fit).join('\n')}\n`;
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
