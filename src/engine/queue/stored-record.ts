import type postgres from 'pg';
import { isRecord, readJson } from '../../base/safe-json.ts';
import type { RunRecord } from '../run-record.ts';
import { writeParts } from './mirror.ts';

const path = 'run.json';

/** Changes fields of the record that the store has of a run; of a run that stays in its clone it has none. */
export async function changeStoredRecord(
  client: postgres.PoolClient,
  run: string,
  change: Partial<RunRecord>,
): Promise<void> {
  const { rows } = await client.query('SELECT bytes FROM charrette.files WHERE run = $1 AND path = $2', [
    run,
    path,
  ]);
  const reading = readJson(String(rows[0]?.bytes ?? ''));
  // One that is damaged is named by whoever restores it.
  if (!reading.ok || !isRecord(reading.value)) return;
  const bytes = Buffer.from(`${JSON.stringify({ ...reading.value, ...change }, null, 2)}\n`);
  await writeParts(client, run, [path], [{ path, position: 0, bytes }]);
}
