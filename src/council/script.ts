import path from 'node:path';
import type { Agent } from '../agents/port.ts';
import { CharretteError } from '../base/errors.ts';
import { randomIds, systemClock, timeOf } from '../engine/clock.ts';
import { openEngine } from '../engine/engine.ts';
import type { RunEvent } from '../engine/event.ts';
import {
  createRunDirectory,
  homeOf,
  makeRunId,
  prepareHome,
  runDirectoryOf,
} from '../engine/run-directory.ts';
import { type RunStatus, writeRunRecord } from '../engine/run-record.ts';
import type { AnswerProvider } from '../engine/run-registry.ts';
import { readOverrides } from '../prompts/part.ts';
import { Semaphore } from './call/once.ts';
import { CouncilRun } from './council.ts';

export type ScriptOptions = {
  /** Runs of the same script have the same name. */
  name: string;
  /** What this run is about, for lists of runs. */
  title: string;
  /** In the order of preference. */
  agents: readonly Agent[];
  /** Resumes this run: finished calls are not repeated. */
  resume?: string;
  /** Change it together with the order of steps; a run resumes only under the version that started it. */
  version?: string;
  /** Calls in parallel. */
  parallel?: number;
  /** Without it a question pauses the run. */
  answer?: AnswerProvider;
  onEvent?: (event: RunEvent) => void;
  signal?: AbortSignal;
};

/** `result`: when the script came to its end. */
export type ScriptEnd<Result> = { run: string; status: RunStatus; result?: Result | undefined };

/**
 * Runs a script with a council as a run of the project: every call is a journaled step, and `charrette show`, `watch` and `costs`
 * know the run. One run at a time in a process. An error of the script is thrown, after the run was saved as failed.
 */
export async function runScript<Result>(
  folder: string,
  options: ScriptOptions,
  script: (council: CouncilRun<undefined>) => Promise<Result>,
): Promise<ScriptEnd<Result>> {
  const { name, title, agents, version = '1', parallel = 8 } = options;
  const home = homeOf(path.resolve(folder));
  await prepareHome(home);
  const run = options.resume ?? makeRunId(title, systemClock, randomIds);
  const directory = runDirectoryOf(home, run);
  if (options.resume === undefined) {
    await createRunDirectory(directory);
    await writeRunRecord(directory, {
      ...{ schemaVersion: 1, run, workflow: name, codeVersion: version, title },
      ...{ inputs: {}, status: 'running', created: timeOf(systemClock) },
    });
  }
  const services = {
    agents: new Map(agents.map((agent) => [agent.id, agent])),
    slots: new Semaphore(parallel),
    project: home.project,
    overrides: await readOverrides(path.join(home.root, 'prompts')),
    earlierLanes: undefined,
    nonceSeed: run,
  };
  const ended: { result?: Result; error?: unknown } = {};
  const opening = await openEngine({
    home,
    store: 'embedded',
    codeVersion: version,
    workflows: [
      {
        name,
        async run(context) {
          try {
            ended.result = await script(new CouncilRun(context, services, undefined));
          } catch (error) {
            ended.error = error;
            throw error;
          }
          return { status: 'done', exit: 0 };
        },
      },
    ],
  });
  if (!opening.opened) throw storeHeld(opening.holder.pid);
  const { engine } = opening;
  const { answer, onEvent, signal = new AbortController().signal } = options;
  try {
    if (onEvent !== undefined) engine.subscribe(run, onEvent);
    const { record } = await engine.conduct(run, { signal, ...(answer === undefined ? {} : { answer }) });
    if (record.status === 'failed') throw ended.error;
    return { run, status: record.status, ...('result' in ended ? { result: ended.result } : {}) };
  } finally {
    await engine.close();
  }
}

function storeHeld(pid: number): CharretteError {
  return new CharretteError({
    code: 'store-locked',
    message: `Process ${pid} holds the store of the project.`,
    fix: 'Wait for that process, then run the script again.',
  });
}
