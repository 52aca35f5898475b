import path from 'node:path';
import { appendOwnLine } from '../base/files/atomic.ts';
import { readTextFile } from '../base/files/bounded.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import type { DispatchRecord } from './rates.ts';

/** lean/C-06: kept beside the runs, so that finishing a feature does not take it along. */
export const dispatchLogFile = path.join('.charrette', 'prompt-log.jsonl');

const mostBytes = 256 * 1024 * 1024;

/** Adds one line, small enough to be written at once; a record that is there already, to the millisecond, is not added. */
export async function appendDispatch(root: string, record: DispatchRecord): Promise<void> {
  const file = path.join(root, dispatchLogFile);
  await appendOwnLine(path.dirname(file), file, JSON.stringify(record), mostBytes);
}

/** Every record that can be read; a line cut by a crash is skipped. */
export async function readDispatches(root: string): Promise<DispatchRecord[]> {
  const text = (await readTextFile(path.join(root, dispatchLogFile), mostBytes)) ?? '';
  return text.split('\n').flatMap((line) => {
    const reading = line.trim() === '' ? undefined : readJson(line, 1024 * 1024);
    return reading?.ok === true && isDispatch(reading.value) ? [reading.value] : [];
  });
}

function isDispatch(value: unknown): value is DispatchRecord {
  return (
    isRecord(value) &&
    value['v'] === 1 &&
    typeof value['feature'] === 'string' &&
    typeof value['role'] === 'string' &&
    typeof value['iteration'] === 'number' &&
    (value['kind'] === 'fresh' || value['kind'] === 'resumed')
  );
}
