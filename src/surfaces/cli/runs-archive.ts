import { stat } from 'node:fs/promises';
import path from 'node:path';
import { thisWorld } from '../../agents/settings.ts';
import { loadConfig } from '../../base/config/config.ts';
import { CharretteError } from '../../base/errors.ts';
import { heldElsewhere } from '../../engine/engine-errors.ts';
import { foreignHold, isLive } from '../../engine/liveness.ts';
import { homeOf, type RunDirectory } from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord } from '../../engine/run-record.ts';
import type { CommandSpec } from './command.ts';
import { unwritable } from './named-file.ts';
import { findHome, findProject, findRun } from './project.ts';
import { type QueueFacts, refreshQueued } from './queue-facts.ts';

export const exportRun: CommandSpec = {
  name: 'export',
  summary: 'Write a run to one file, to go on with it elsewhere',
  examples: [
    ['charrette runs export latest', 'to <run>.tar.gz here'],
    ['charrette runs export 4f2a90c1 /tmp/run.tar.gz', 'to a file of your choice'],
  ],
  arguments: [
    ['<run>', 'run id, an unambiguous part of it, or latest'],
    ['[file]', 'the archive; an existing file is not replaced'],
  ],
  dryRun: 'says',
  async run({ arguments: [name, file], global, terminal }) {
    const home = findHome(global.cwd);
    const directory = await findRun(home, name as string);
    const queue = (await refreshQueued(home, { global, terminal }, [directory.id])).get(directory.id);
    const record = await readRunRecord(directory);
    await requireAtRest(record, directory, queue);
    const target = path.resolve(global.cwd, (file as string | undefined) ?? `${directory.id}.tar.gz`);
    const [{ packRun }, { takeWaiting }, { repositoryIdentity }, { writeFile }] = await Promise.all([
      import('../../engine/run-archive.ts'),
      import('../../engine/answers.ts'),
      import('../../repo/git/repository-facts.ts'),
      import('node:fs/promises'),
    ]);
    // The inbox stays here; what lies in it for the run goes along as answers of the run.
    if (!global.dryRun) await takeWaiting(directory);
    const bytes = await packRun(directory.root, directory.id, await repositoryIdentity(home.project));
    if (global.dryRun)
      return { exit: 0, text: `Would write ${target}.\n`, json: { dryRun: true, file: target } };
    await writeFile(target, bytes, { flag: 'wx', mode: 0o600 }).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw unwritable(target, cause);
      throw new CharretteError({
        code: 'would-overwrite',
        message: `${target} is there already.`,
        fix: 'Name another file, or remove this one.',
      });
    });
    return {
      exit: 0,
      text: `${target}\n`,
      json: { run: directory.id, status: record.status, file: target, bytes: bytes.length },
    };
  },
};

export const importRun: CommandSpec = {
  name: 'import',
  summary: 'Take a run over from an archive',
  examples: [['charrette runs import run.tar.gz', 'then `charrette resume` goes on with it']],
  arguments: [['<file>', 'what `charrette runs export` wrote']],
  dryRun: 'says',
  async run({ arguments: [file], global, terminal }) {
    const source = path.resolve(global.cwd, file as string);
    const project = findProject(global.cwd);
    const [{ readArchive, archiveBounds }, { importRun: take }] = await Promise.all([
      import('../../engine/run-archive.ts'),
      import('../../workflows/import-run.ts'),
    ]);
    const archive = await readArchive(await readBounded(source, archiveBounds.packed));
    const { config } = await loadConfig({ project, env: terminal.env, file: global.config });
    const { dryRun } = global;
    const record = await take(homeOf(project), archive, { config, world: thisWorld(), dryRun });
    if (dryRun)
      return {
        exit: 0,
        text: `Would import ${record.run} (${record.status}).\n`,
        json: { dryRun, run: record.run, status: record.status },
      };
    const ended = isFinal(record.status) && record.status !== 'failed';
    const next = ended ? `charrette show ${record.run}` : `charrette resume ${record.run}`;
    return {
      exit: 0,
      text: `Imported ${record.run}; go on with \`${next}\`.\n`,
      json: { run: record.run, status: record.status, next },
    };
  },
};

/** A copy of a run that goes on is of no use: it would be worked on twice. */
async function requireAtRest(
  record: RunRecord,
  directory: RunDirectory,
  queue: QueueFacts | undefined,
): Promise<void> {
  const hold = foreignHold(record, directory);
  if (hold !== undefined) throw heldElsewhere(record.run, hold.holder, hold.file);
  if (queue === undefined && record.queue !== undefined && !isFinal(record.status))
    throw new CharretteError({
      code: 'usage',
      message: `The run ${record.run} was given to the queue of a shared store, which is not seen from here.`,
      fix: 'Set CHARRETTE_DATABASE_URL, or `store` in the configuration, to a server that answers: it knows whether a worker has the run.',
    });
  const held = queue?.state === 'running' || queue?.state === 'waiting';
  // What the queue says of its workers has been heard.
  if (held || isLive({ ...record, queue: undefined }, directory))
    throw new CharretteError({
      code: 'usage',
      message: `The run ${record.run} is at work${queue?.worker === undefined ? '' : ` in ${queue.worker}`}.`,
      fix: 'Stop it first (Ctrl-C where it runs), or wait until it ends.',
    });
  if (queue?.state === 'queued')
    throw new CharretteError({
      code: 'usage',
      message: `The run ${record.run} waits in the queue; a worker may take it at any moment.`,
      fix: `Let it end, or end it with \`charrette cancel ${record.run}\`.`,
    });
  const { keepsToItsDirectory } = await import('../../workflows/travel.ts');
  if (
    (isFinal(record.status) && record.status !== 'failed') ||
    keepsToItsDirectory(record.workflow, record.inputs)
  )
    return;
  throw new CharretteError({
    code: 'usage',
    message: `The run ${record.run} (${record.workflow}) keeps work outside its directory and cannot go on elsewhere.`,
    fix: `Go on with it here: \`charrette resume ${record.run}\`.`,
  });
}

async function readBounded(file: string, limit: number): Promise<Uint8Array> {
  const facts = await stat(file).catch(() => undefined);
  if (facts === undefined || !facts.isFile())
    throw new CharretteError({ code: 'not-found', message: `The archive ${file} does not exist.` });
  if (facts.size > limit)
    throw new CharretteError({
      code: 'file-too-large',
      message: `${file} has ${facts.size} bytes; at most ${limit} are read.`,
    });
  const { readFile } = await import('node:fs/promises');
  return readFile(file);
}
