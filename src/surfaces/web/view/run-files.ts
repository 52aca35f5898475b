import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../../../base/files/bounded.ts';
import { isRecord, readJson } from '../../../base/safe-json.ts';
import type { RunEvent } from '../../../engine/event.ts';
import { type RunDirectory, workerDirectory } from '../../../engine/run-directory.ts';
import { listArtifacts } from '../../../service/artifacts.ts';

/** What the views of a run are made from. */
export type RunFiles = {
  events: readonly RunEvent[];
  artifacts: Readonly<Record<string, string>>;
  /** Typed answers of the lanes whose answers are in no artifact, by lane. */
  answers: Readonly<Record<string, unknown>>;
};

const largestArtifact = 2 * 1024 * 1024;

export async function readRunFiles(directory: RunDirectory, events: readonly RunEvent[]): Promise<RunFiles> {
  const artifacts: Record<string, string> = {};
  for (const { name, path: file, bytes } of await listArtifacts(directory)) {
    if (bytes <= largestArtifact) artifacts[name] = (await readTextFile(file)) ?? '';
  }
  const lanes = events.flatMap((event) =>
    event.type === 'lane-queue' && ['judge', 'synthesis'].includes(event.task) ? [event.lane] : [],
  );
  const answers: Record<string, unknown> = {};
  for (const lane of new Set(lanes)) answers[lane] = await readLaneValue(directory, lane);
  return { events, artifacts, answers };
}

/** The typed answer of the last attempt of a lane that went well. */
async function readLaneValue(directory: RunDirectory, lane: string): Promise<unknown> {
  for (const attempt of (await attemptsOf(directory, lane)).reverse()) {
    const text = await readTextFile(path.join(attempt.folder, 'result.json'), largestArtifact);
    const reading = readJson(text ?? '');
    const result = reading.ok && isRecord(reading.value) ? reading.value['result'] : undefined;
    if (isRecord(result) && result['kind'] === 'ok') return result['value'];
  }
  return undefined;
}

/**
 * The folders of a lane's attempts, in order, also of those in a separate process (`design --subagent`). The name of a lane comes
 * from anybody, so it is only ever compared.
 */
export async function attemptsOf(
  directory: RunDirectory,
  lane: string,
): Promise<{ attempt: number; folder: string }[]> {
  const attempts: { attempt: number; folder: string }[] = [];
  for (const lanes of [directory.lanes, workerDirectory(directory).lanes]) {
    for (const name of await readdir(lanes).catch(() => [])) {
      const [, own, attempt] = /^(.+)-(\d{1,4})$/.exec(name) ?? [];
      if (own === lane) attempts.push({ attempt: Number(attempt), folder: path.join(lanes, name) });
    }
  }
  return attempts.sort((a, b) => a.attempt - b.attempt);
}
