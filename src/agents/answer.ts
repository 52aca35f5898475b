import { createHash } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../base/files/bounded.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import { blotCommand } from '../base/text/secrets.ts';
import { type AgentTask, type LaneResult, laneKinds } from './port.ts';
import type { AgentSettings } from './settings.ts';

const fileName = 'agent-result.json';

/** Keeps the result beside the stream, with a mark of the request it answers. */
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
  // Another key is no other request.
  const command = settings.command === undefined ? undefined : blotCommand(settings.command).shown;
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
