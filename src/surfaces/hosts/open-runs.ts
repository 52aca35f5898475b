import path from 'node:path';
import { readTextFile } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { isLive } from '../../engine/liveness.ts';
import { newestRuns } from '../../engine/newest-runs.ts';
import { readQuestions, unanswered } from '../../engine/question.ts';
import { homeOf, type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecordSync } from '../../engine/run-record.ts';
import type { OpenRun } from './card.ts';

const mostRuns = 3;

/** The newest runs of a project that are not over; those that cannot be read are left out. */
export async function openRuns(project: string): Promise<OpenRun[]> {
  const home = homeOf(project);
  const found: OpenRun[] = [];
  for (const id of (await newestRuns(home, 20)).ids) {
    if (found.length >= mostRuns) break;
    const directory = runDirectoryOf(home, id);
    const record = recordOf(directory);
    if (record === undefined || isFinal(record.status)) continue;
    const waiting = record.status === 'paused' ? unanswered(readQuestions(directory)) : [];
    found.push({
      run: id,
      workflow: record.workflow,
      title: record.title,
      state: record.status === 'paused' ? 'paused' : isLive(record, directory) ? 'running' : 'interrupted',
      questions: waiting.map(({ text }) => text),
      phase: await activePhase(path.join(directory.artifacts, 'todo.json')),
    });
  }
  return found;
}

function recordOf(directory: RunDirectory): RunRecord | undefined {
  try {
    return readRunRecordSync(directory);
  } catch {
    return undefined;
  }
}

async function activePhase(file: string): Promise<string | undefined> {
  const text = await readTextFile(file).catch(() => undefined);
  const reading = text === undefined ? undefined : readJson(text);
  const items = reading?.ok === true && isRecord(reading.value) ? reading.value['items'] : undefined;
  const active = Array.isArray(items)
    ? items.find((item) => isRecord(item) && item['kind'] === 'phase' && item['status'] === 'in_progress')
    : undefined;
  return isRecord(active) ? String(active['content']) : undefined;
}
