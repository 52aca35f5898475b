import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { World } from '../agents/settings.ts';
import { CharretteError, isCharretteError } from '../base/errors.ts';
import { containedPath } from '../base/files/bounded.ts';
import { isRecord } from '../base/safe-json.ts';
import type { Config } from '../base/schema/config.ts';
import type { RunArchive } from '../engine/run-archive.ts';
import { type Home, prepareHome, relocateInputs, runDirectoryOf } from '../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord, writeRunRecord } from '../engine/run-record.ts';
import { repositoryIdentity } from '../repo/git/repository-facts.ts';
import { runGit } from '../repo/git/run-git.ts';
import { codeVersion, keepsToItsDirectory } from './create-run.ts';
import { withTreeOf } from './design/tree.ts';
import { redactSecrets, rosterOf } from './roster.ts';

/**
 * Puts the run of an archive into this project, whole or not at all. What it would execute comes from here: its agents
 * are those that the project has under the same names, never the commands that the archive carries. A dry run checks all of
 * it and changes nothing in the project.
 */
export async function importRun(
  home: Home,
  archive: RunArchive,
  { config, world, dryRun = false }: { config: Config; world: World; dryRun?: boolean },
): Promise<RunRecord> {
  const directory = runDirectoryOf(home, archive.run);
  if (existsSync(directory.root)) {
    throw new CharretteError({
      code: 'would-overwrite',
      message: `There is a run ${archive.run} already.`,
      fix: `Remove it first: \`charrette runs rm ${archive.run}\`.`,
    });
  }
  const own = await repositoryIdentity(home.project);
  if (archive.repository !== own) {
    throw new CharretteError({
      code: 'usage',
      message: `The run is about the repository ${archive.repository}; this is ${own}.`,
      fix: 'Import it in a clone of its repository.',
    });
  }
  if (!dryRun) await prepareHome(home);
  const staging = dryRun
    ? await mkdtemp(path.join(tmpdir(), 'charrette-import-'))
    : path.join(home.root, `importing-${archive.run}`);
  const staged = { ...directory, root: staging, record: path.join(staging, 'run.json') };
  await rm(staging, { recursive: true, force: true });
  try {
    for (const folder of ['artifacts', 'lanes', 'inbox'])
      await mkdir(path.join(staging, folder), { recursive: true });
    for (const file of archive.files) {
      const target = await containedPath(staging, file.path);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, file.bytes, { flag: 'wx' });
    }
    const found = await readRunRecord(staged).catch((error) => {
      throw isCharretteError(error) ? unusable('its run.json is missing or no record of a run') : error;
    });
    const record = await adapt(found, archive.run, home.project, config, world);
    if (dryRun) return record;
    await writeRunRecord(staged, record);
    await rename(staging, directory.root);
    return record;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** The record adapted to this project; a run that has not ended is checked for everything that resuming needs. */
async function adapt(
  record: RunRecord,
  run: string,
  project: string,
  config: Config,
  world: World,
): Promise<RunRecord> {
  if (record.run !== run) throw unusable(`its record is of ${record.run}`);
  const { process: _process, queue: _queue, ...rest } = record;
  const { inputs } = record;
  if (isFinal(record.status) && record.status !== 'failed')
    return { ...rest, inputs: relocateInputs(inputs, project) };
  if (!isRecord(inputs) || !Array.isArray(inputs['roster'])) throw unusable('its record has no agents');
  const { parallel } = inputs;
  if (!Number.isInteger(parallel) || Number(parallel) < 1)
    throw unusable(`its record allows ${JSON.stringify(parallel) ?? 'no'} calls at the same time`);
  if (!keepsToItsDirectory(record.workflow, inputs))
    throw unusable(`a ${record.workflow} run like this keeps work outside its directory`);
  if (record.codeVersion !== codeVersion)
    throw unusable(`it was started by workflow code ${record.codeVersion}, and this is ${codeVersion}`);
  const { baseCommit } = record;
  if (typeof baseCommit === 'string' && !(await hasCommit(project, baseCommit)))
    throw unusable(`its commit ${baseCommit.slice(0, 40)} is not in this clone`);
  const ids = inputs['roster'].map((agent: unknown) => (isRecord(agent) ? String(agent['id']) : ''));
  return {
    ...rest,
    inputs: await withTreeOf(project, {
      ...(relocateInputs(inputs, project) as object),
      project,
      roster: rosterOf(config, world, ids).map(redactSecrets),
    }),
    status: record.status === 'failed' ? 'failed' : 'stopped',
    imported: true,
  };
}

async function hasCommit(project: string, commit: string): Promise<boolean> {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return false;
  return (await runGit(project, ['cat-file', '-e', `${commit}^{commit}`], { offline: true })).code === 0;
}

function unusable(reason: string): CharretteError {
  return new CharretteError({
    code: 'archive-invalid',
    message: `The run cannot be resumed here: ${reason}.`,
    fix: 'Finish or resume it in its own project. Nothing was written.',
  });
}
