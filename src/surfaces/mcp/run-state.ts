import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { questionSchema } from '../../base/schema/run-files.ts';
import { openQuestions } from '../../engine/answers.ts';
import { isLive } from '../../engine/liveness.ts';
import type { Question } from '../../engine/question.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord } from '../../engine/run-record.ts';
import { resultDocumentsOf } from '../cli/result-documents.ts';
import { shownStatus } from '../cli/run-list.ts';

/** What every tool about one run answers with: where it stands and what it waits for. */
export const runStateShape = {
  run: z.string().describe('The handle of the run.'),
  status: z
    .enum([
      'running',
      'paused',
      'done',
      'not-accepted',
      'failed',
      'cancelled',
      'stopped',
      'queued',
      'interrupted',
      'unreadable',
    ])
    .describe(
      '`paused`: it waits for answers. `stopped`, `interrupted`: nobody works on it; it can be resumed.',
    ),
  questions: z.array(questionSchema).describe('Open questions; a person decides them.'),
  directory: z.string().describe('Everything about the run as files.'),
  error: z.looseObject({ code: z.string(), message: z.string(), fix: z.string().optional() }).optional(),
  next: z.string().describe('What to call now.'),
};

export type RunState = {
  run: string;
  status: ReturnType<typeof shownStatus>;
  questions: Question[];
  directory: string;
  error?: NonNullable<RunRecord['error']>;
  next: string;
};

export async function runStateOf(directory: RunDirectory): Promise<RunState> {
  const record = await readRunRecord(directory);
  const status = shownStatus(record, directory);
  const questions = isFinal(record.status) ? [] : openQuestions(directory);
  const { error } = record;
  return {
    run: directory.id,
    status,
    questions,
    directory: directory.root,
    ...(error !== undefined && { error }),
    next: nextStep(status, questions.length > 0, resultOf(directory, record)),
  };
}

/** Nothing more will happen by itself: the run ended, nobody works on it, or it waits for a person. */
export function isSettled(record: RunRecord, directory: RunDirectory, openQuestions: number): boolean {
  return !isLive(record, directory) || (record.status === 'paused' && openQuestions > 0);
}

/** The artifact to read first of what a run has. */
function resultOf({ artifacts }: RunDirectory, { workflow }: RunRecord): string | undefined {
  const names = resultDocumentsOf(workflow).map(([, artifact]) => artifact);
  return [...names, 'plan.txt'].find((name) => existsSync(path.join(artifacts, name)));
}

function nextStep(status: RunState['status'], asks: boolean, result: string | undefined): string {
  if (status === 'done' || status === 'not-accepted')
    return result === undefined
      ? 'Nothing was written to be read first; run_inspect lists the artifacts.'
      : `Read the result with artifact_read (${result}); run_inspect lists the other artifacts.`;
  if (status === 'failed') return 'Remove the cause, then call run_resume.';
  if (status === 'cancelled') return 'The run is over; start another with design_start.';
  if (status === 'unreadable') return 'Restore run.json, or remove the run.';
  if (asks) return 'Ask the person the open questions, then call run_answer.';
  if (status === 'running') return 'Call run_wait to follow it.';
  if (status === 'queued') return 'It waits for a worker of the queue; look again later with run_inspect.';
  return 'Call run_resume to go on.';
}
