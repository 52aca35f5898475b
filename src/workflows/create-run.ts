import { existsSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { type Clock, type Ids, timeOf } from '../engine/clock.ts';
import { readQuestions, rememberAnswers } from '../engine/question.ts';
import {
  createRunDirectory,
  type Home,
  makeRunId,
  prepareHome,
  type RunDirectory,
  runDirectoryOf,
} from '../engine/run-directory.ts';
import { relocate } from '../engine/run-files.ts';
import { writeRunRecord } from '../engine/run-record.ts';
import type { RunInputs } from './inputs.ts';
import { redactSecrets } from './redact-secrets.ts';
import { codeVersion } from './version.ts';

/** Questions about how things stand at that moment: an earlier answer says nothing about another one. */
const momentary = /^(?:dirty-tree|budget)-/;

/** What a person answered in the earlier run is not asked again. */
async function takeOverAnswers(
  home: Home,
  directory: RunDirectory,
  fromRun: string | undefined,
): Promise<void> {
  if (fromRun === undefined) return;
  const { answers } = readQuestions(runDirectoryOf(home, fromRun));
  rememberAnswers(
    directory,
    answers.filter(({ question }) => !momentary.test(question)),
  );
}

export type NewRun = {
  workflow: string;
  title: string;
  inputs: RunInputs;
  baseCommit?: string | undefined;
};

/** Makes the directory and the record of a run; nothing runs yet. */
export async function createRun(
  home: Home,
  run: NewRun,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<string> {
  await prepareHome(home);
  const id = makeRunId(run.title, clock, ids);
  await createNamedRun(home, id, run, clock);
  return id;
}

/** The same under a given id, for a run that another run starts; one that is there already is left alone. */
export async function createNamedRun(home: Home, id: string, run: NewRun, clock: Clock): Promise<void> {
  const directory = runDirectoryOf(home, id);
  if (existsSync(directory.record)) return;
  // Without its record it is what a crash left of the making of it.
  await rm(directory.root, { recursive: true, force: true });
  await createRunDirectory(directory);
  await takeOverAnswers(home, directory, run.inputs.fromRun);
  await writeRunRecord(directory, {
    schemaVersion: 1,
    run: id,
    workflow: run.workflow,
    codeVersion,
    title: run.title,
    // What is named by its real path moves with the project too, where that is reached through a link.
    inputs: relocate(
      { ...run.inputs, roster: run.inputs.roster.map(redactSecrets) },
      await realpath(run.inputs.project),
      run.inputs.project,
    ),
    ...(run.baseCommit === undefined ? {} : { baseCommit: run.baseCommit }),
    status: 'running',
    created: timeOf(clock),
  });
}
