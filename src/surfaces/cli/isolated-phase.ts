import { existsSync } from 'node:fs';
import { copyFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { thisWorld } from '../../agents/settings.ts';
import { loadConfig } from '../../base/config/config.ts';
import type { ErrorCode } from '../../base/error-table.ts';
import { CharretteError, isErrorCode, toCharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { parseJson } from '../../base/safe-json.ts';
import {
  createRunDirectory,
  homeOf,
  prepareHome,
  workerRun as run,
  runDirectoryOf,
} from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord, writeRunRecord } from '../../engine/run-record.ts';
import type { CommandSpec } from '../../service/command.ts';
import { codeVersion } from '../../workflows/create-run.ts';
import {
  type IsolatedJob,
  renderWorkerStatus,
  type WorkerStatus,
} from '../../workflows/design/isolated-phase.ts';
import { openWorkflows } from '../../workflows/open.ts';
import { makeReporter } from './reporter.ts';

/** Started by `design --subagent`, not by people: runs steps 2a to 3 from a job file and says one line (L-253). */
export const command: CommandSpec = {
  examples: [['charrette isolated-phase job.json', 'what `design --subagent` starts']],
  arguments: [['<job>', 'job file']],
  async run({ arguments: [file], global, terminal, signal }) {
    const job = parseJson(
      (await readTextFile(file as string)) ?? '',
      file as string,
    ) as unknown as IsolatedJob;
    let result: WorkerStatus;
    try {
      await work(job, global.config, signal, makeReporter({ ...global, output: 'json' }, terminal));
      result = { status: 'complete' };
    } catch (error) {
      result = { status: 'failed', reason: toCharretteError(error).code };
    }
    return {
      exit: result.status === 'complete' ? 0 : 1,
      text: `${renderWorkerStatus(result)}\n`,
      json: result,
    };
  },
};

async function work(
  job: IsolatedJob,
  file: string | undefined,
  signal: AbortSignal,
  report: ReturnType<typeof makeReporter>,
): Promise<void> {
  // Its run is next to the one whose phase this is, not at the top of the project.
  const home = { ...homeOf(job.home), project: job.inputs.project };
  const directory = runDirectoryOf(home, run);
  await prepareHome(home);
  if (!existsSync(directory.record)) {
    if (!existsSync(directory.root)) await createRunDirectory(directory);
    const inputs = { ...job.inputs, start: job.start };
    const created = new Date().toISOString();
    await writeRunRecord(directory, {
      schemaVersion: 1,
      run,
      workflow: 'design-heavy',
      codeVersion,
      title: job.inputs.feature,
      inputs,
      status: 'running',
      created,
    });
  }
  if (
    !isFinal((await readRunRecord(directory)).status) ||
    (await readRunRecord(directory)).status === 'failed'
  ) {
    const world = thisWorld();
    const { agents, quota } = (
      await loadConfig({ project: job.inputs.project, env: world.environment, file })
    ).config;
    const opening = await openWorkflows(home, 'embedded', world, { agents, quota, file });
    if (!opening.opened) {
      throw new CharretteError({
        code: 'store-locked',
        message: `Process ${opening.holder.pid} is running this phase.`,
      });
    }
    try {
      opening.engine.subscribe(run, report);
      await opening.engine.start(run);
      const end = await opening.engine.wait(run, { signal });
      if (end.kind === 'paused') {
        const ids = end.questions.map(({ id }) => id);
        const code = ids.some((id) => id.startsWith('dirty-tree')) ? 'dirty-tree' : 'budget-used-up';
        throw new CharretteError({ code, message: `The phase needs an answer to ${ids.join(', ')}.` });
      }
      if (end.record.status !== 'done')
        throw new CharretteError({
          code: codeOf(end.record),
          message: end.record.error?.message ?? end.record.status,
        });
    } finally {
      await opening.engine.close();
    }
  }
  for (const name of await readdir(directory.artifacts)) {
    await copyFile(path.join(directory.artifacts, name), path.join(job.artifacts, name));
  }
}

/** L-253: the reason that the run of the phase ended with is the reason of the phase. */
function codeOf({ error }: RunRecord): ErrorCode {
  return error !== undefined && isErrorCode(error.code) ? error.code : 'internal';
}
