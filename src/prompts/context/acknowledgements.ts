import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';

/** M-067: which reserved names a person has been told about, by path below the project. */
export type Acknowledgements = Record<string, { sha256: string; acknowledged_at: string }>;

export const acknowledgementsFile = '.moai/state/reserved-acknowledged.json';

/** A missing or damaged ledger is an empty one: then everything is said again. */
export async function readAcknowledgements(file: string): Promise<Acknowledgements> {
  const text = await readTextFile(file).catch(() => undefined);
  const reading = readJson(text ?? '');
  if (!reading.ok || !isRecord(reading.value)) return {};
  const entries = Object.entries(reading.value).flatMap(([path, entry]) => {
    if (!isRecord(entry) || typeof entry['sha256'] !== 'string') return [];
    const at = typeof entry['acknowledged_at'] === 'string' ? entry['acknowledged_at'] : '';
    return [[path, { sha256: entry['sha256'], acknowledged_at: at }] as const];
  });
  return Object.fromEntries(entries);
}

export async function writeAcknowledgements(file: string, ledger: Acknowledgements): Promise<void> {
  await writeJsonAtomic(file, ledger);
}
