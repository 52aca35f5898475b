import type { Clock, Ids } from '../engine/clock.ts';
import { readQuestions, rememberAnswers } from '../engine/question.ts';
import {
  createRunDirectory,
  type Home,
  prepareHome,
  type RunDirectory,
  runDirectoryOf,
} from '../engine/run-directory.ts';
import { makeRunId } from '../engine/run-id.ts';
import { writeRunRecord } from '../engine/run-record.ts';
import type { RunInputs } from './inputs.ts';
import { codeVersion } from './version.ts';

/** What a person answered in the earlier run is not asked again. */
async function takeOverAnswers(
  home: Home,
  directory: RunDirectory,
  fromRun: string | undefined,
): Promise<void> {
  if (fromRun === undefined) return;
  rememberAnswers(directory, readQuestions(runDirectoryOf(home, fromRun)).answers);
}

/** Makes the directory and the record of a run; nothing runs yet. */
export async function createRun(
  home: Home,
  run: { workflow: string; title: string; inputs: RunInputs; baseCommit?: string | undefined },
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<string> {
  await prepareHome(home);
  const id = makeRunId(run.title, clock, ids);
  const directory = runDirectoryOf(home, id);
  await createRunDirectory(directory);
  await takeOverAnswers(home, directory, run.inputs.fromRun);
  await writeRunRecord(directory, {
    schemaVersion: 1,
    run: id,
    workflow: run.workflow,
    codeVersion,
    title: run.title,
    inputs: run.inputs,
    ...(run.baseCommit === undefined ? {} : { baseCommit: run.baseCommit }),
    status: 'running',
    created: new Date(clock.now()).toISOString(),
  });
  return id;
}
