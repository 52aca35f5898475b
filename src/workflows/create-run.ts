import { existsSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import type { AgentSettings } from '../agents/settings.ts';
import { isRecord } from '../base/safe-json.ts';
import type { Config } from '../base/schema/config.ts';
import { type Clock, type Ids, timeOf } from '../engine/clock.ts';
import { readQuestions, rememberAnswers } from '../engine/question.ts';
import {
  createRunDirectory,
  type Home,
  makeRunId,
  prepareHome,
  type RunDirectory,
  relocate,
  runDirectoryOf,
} from '../engine/run-directory.ts';
import { writeRunRecord } from '../engine/run-record.ts';
import { redactSecrets } from './roster.ts';

/**
 * Whether a run keeps everything it has in its own directory, so that another clone can continue it. Worktrees,
 * commits, feature documents and pages stay in the clone they were made in.
 */
export function keepsToItsDirectory(workflow: string, inputs: unknown): boolean {
  if (!isRecord(inputs) || inputs['fromRun'] !== undefined) return false;
  if (workflow === 'design')
    return inputs['subagent'] !== true && inputs['out'] === undefined && inputs['caller'] === undefined;
  return workflow === 'lite-plan' && inputs['planOnly'] === true;
}

/** Whether another clone may continue it in the middle: the branch of a design exists only where it was made. */
export function travels(workflow: string, inputs: unknown): boolean {
  if (!keepsToItsDirectory(workflow, inputs)) return false;
  return workflow !== 'design' || (isRecord(inputs) && inputs['branch'] === false);
}

/** What every run keeps in run.json so that another process can resume it. */
export type RunInputs = {
  /** The agents as they were declared or found when the run was made. */
  roster: AgentSettings[];
  project: string;
  parallel: number;
  /** A result is accepted although fewer than two families reviewed or voted. */
  acceptDegraded?: boolean;
  /** What happens when an account is used up; wins over the configuration. */
  quota?: Config['quota'];
  /** An earlier run whose finished answers are reused where the request is the same. */
  fromRun?: string;
  /** With `fromRun`: reuse nothing from this step on. */
  fromStep?: string;
};

/** Changes whenever the order of steps of a workflow does; a run continues only under the version that started it. */
export const codeVersion = '17';

/** Questions about the present moment or about one version of a file: never reuse an earlier answer. */
const momentary = /^(?:(?:dirty-tree|budget|limit)-|quota|workflow-code$)/;

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

/** The same under a given id, for a run that another run starts; an existing run is not changed. */
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

/** Path of the brief of a refinement; agents read the file, prompts never contain it. */
export function briefPathOf({ artifacts }: RunDirectory): string {
  return path.join(artifacts, 'brief.md');
}
