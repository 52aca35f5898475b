import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeJsonAtomic } from '../base/files/atomic.ts';
import { readTextFile } from '../base/files/bounded.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import { redactCommand } from '../base/text/secrets.ts';
import { type AgentTask, type LaneResult, laneKinds, type Usage } from './port.ts';
import type { AgentSettings } from './settings.ts';

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

/** The id comes from an agent's output: it never becomes a path unchanged. */
function totalFile(laneDirectory: string, session: string): string {
  const name = createHash('sha256').update(session).digest('hex').slice(0, 24);
  return path.join(laneDirectory, 'sessions', `${name}.json`);
}

const fileName = 'agent-result.json';

/** Saves the result next to the stream, with a digest of the request it answers. */
export async function writeAnswer(
  task: AgentTask,
  settings: AgentSettings,
  result: LaneResult,
): Promise<void> {
  const file = path.join(task.laneDirectory, fileName);
  // Whole or not at all; it need not outlive a power cut, so it does not wait for the disk.
  await writeFile(`${file}.tmp`, `${JSON.stringify({ request: markOf(task, settings), ...result })}\n`);
  await rename(`${file}.tmp`, file);
}

/** The answer this very request already got in this lane. Failures are not kept: asking again may heal them. */
export async function readAnswer(task: AgentTask, settings: AgentSettings): Promise<LaneResult | undefined> {
  const text = await readTextFile(path.join(task.laneDirectory, fileName));
  const reading = text === undefined ? undefined : readJson(text);
  if (!reading?.ok || !isRecord(reading.value)) return undefined;
  const { request, ...result } = reading.value;
  if (request !== markOf(task, settings) || result['kind'] !== laneKinds[0]) return undefined;
  return result as unknown as LaneResult;
}

function markOf(task: AgentTask, settings: AgentSettings): string {
  const { run, seat, attempt, prompt, directory, access, schema, resume } = task;
  const { id, protocol, model } = settings;
  // A different key does not change the request.
  const command = settings.command === undefined ? undefined : redactCommand(settings.command).shown;
  const facts = [
    task.task,
    run,
    seat,
    attempt,
    prompt,
    directory,
    access,
    schema,
    resume,
    id,
    protocol,
    command,
    model,
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}
