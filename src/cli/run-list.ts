import { readLedger, totalsOf } from '../engine/ledger.ts';
import { type Home, listRunIds, runDirectoryOf } from '../engine/run-directory.ts';
import { isLive, type RunRecord, readRunRecord } from '../engine/run-record.ts';
import { columns } from './help.ts';

/** A run as lists show it. `interrupted`: its process is gone without having said goodbye. */
export type RunSummary = {
  run: string;
  workflow: string;
  title: string;
  status: RunRecord['status'] | 'interrupted' | 'unreadable';
  created: string;
  calls: number;
  tokens: number;
  usd: number;
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
    const cost = { calls: totals.calls, tokens: totals.inputTokens + totals.outputTokens, usd: totals.usd };
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

export function renderRuns(runs: readonly RunSummary[], now: number): string {
  if (runs.length === 0) return 'No runs yet. Start one with `charrette design "…"`.\n';
  const rows = runs.map(
    (run) =>
      [
        run.run,
        `${run.status.padEnd(12)} ${describeAge(run.created, now).padStart(8)}  ${String(run.calls).padStart(4)} calls  ${run.title}`,
      ] as const,
  );
  return `${columns(rows).join('\n')}\n`;
}

function describeAge(created: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(created)) / 60_000);
  if (Number.isNaN(minutes)) return '';
  if (minutes < 60) return `${minutes}m ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)}h ago`;
  return `${Math.floor(minutes / 1440)}d ago`;
}
