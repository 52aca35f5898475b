import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { writeJsonAtomic } from '../base/files/atomic.ts';
import { readTextFile } from '../base/files/bounded.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import type { Usage } from './port.ts';

/**
 * A handle to continue a conversation: the agent's own id and the lane whose HOME holds it. Agents keep conversations in
 * HOME, and every lane has its own, so the id alone would not find it again.
 */
export function formatHandle(session: string, laneDirectory: string): string {
  return `${session}@${laneDirectory}`;
}

export function parseHandle(handle: string): { session: string; laneDirectory: string } | undefined {
  const at = handle.indexOf('@/');
  if (at < 1) return undefined;
  return { session: handle.slice(0, at), laneDirectory: handle.slice(at + 1) };
}

/** The conversation's total so far, for agents whose reports include earlier runs. */
export async function readTotal(laneDirectory: string, session: string): Promise<Usage | undefined> {
  const text = await readTextFile(totalFile(laneDirectory, session));
  const reading = text === undefined ? undefined : readJson(text);
  if (!reading?.ok || !isRecord(reading.value)) return undefined;
  const { inputTokens, cachedInputTokens, outputTokens } = reading.value;
  if (![inputTokens, cachedInputTokens, outputTokens].every((count) => typeof count === 'number'))
    return undefined;
  return reading.value as unknown as Usage;
}

export async function writeTotal(laneDirectory: string, session: string, total: Usage): Promise<void> {
  const file = totalFile(laneDirectory, session);
  await mkdir(path.dirname(file), { recursive: true });
  await writeJsonAtomic(file, total);
}

/** The id comes from an agent's output: it never becomes a path as it is. */
function totalFile(laneDirectory: string, session: string): string {
  const name = createHash('sha256').update(session).digest('hex').slice(0, 24);
  return path.join(laneDirectory, 'sessions', `${name}.json`);
}
