import { stat } from 'node:fs/promises';
import { thisWorld } from '../agents/settings.ts';
import { CharretteError } from '../base/errors.ts';
import { heldElsewhere } from '../engine/engine-errors.ts';
import { isLive, lockOnOtherHost } from '../engine/lock.ts';
import type { RunDirectory } from '../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord } from '../engine/run-record.ts';
import { type Project, settingsOf } from './project.ts';
import { type QueueFacts, refreshQueued } from './queue-facts.ts';

/** A run as one archive, to be resumed elsewhere. A dry run only checks that it can be made. */
export async function exportRun(
  project: Project,
  directory: RunDirectory,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<{ record: RunRecord; archive: Uint8Array }> {
  const queue = (await refreshQueued(project, [directory.id])).get(directory.id);
  const record = await readRunRecord(directory);
  await requireAtRest(record, directory, queue);
  const [{ packRun }, { applyInbox }, { repositoryIdentity }] = await Promise.all([
    import('../engine/run-archive.ts'),
    import('../engine/answers.ts'),
    import('../repo/git/repository-facts.ts'),
  ]);
  // The inbox stays here; answers in it become answers of the run.
  if (!dryRun) await applyInbox(directory);
  const identity = await repositoryIdentity(project.project);
  return { record, archive: await packRun(directory.root, directory.id, identity) };
}

/** Adds the run of an archive to the project. A dry run only checks that it can be added. */
export async function importRun(
  project: Project,
  file: string,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<RunRecord> {
  const [{ readArchive, archiveBounds }, { importRun: take }] = await Promise.all([
    import('../engine/run-archive.ts'),
    import('../workflows/import-run.ts'),
  ]);
  const archive = await readArchive(await readBounded(file, archiveBounds.packed));
  const config = await settingsOf(project);
  return take(project, archive, { config, world: thisWorld(), dryRun });
}

/** Rejects a run that is running: its copy would be worked on twice. */
async function requireAtRest(
  record: RunRecord,
  directory: RunDirectory,
  queue: QueueFacts | undefined,
): Promise<void> {
  const hold = lockOnOtherHost(record, directory);
  if (hold !== undefined) throw heldElsewhere(record.run, hold.holder, hold.file);
  if (queue === undefined && record.queue !== undefined && !isFinal(record.status))
    throw new CharretteError({
      code: 'usage',
      message: `The run ${record.run} was given to the queue of a shared store, which cannot be reached from here.`,
      fix: 'Set CHARRETTE_DATABASE_URL, or `store` in the configuration, to a server that answers: it knows whether a worker has the run.',
    });
  const held = queue?.state === 'running' || queue?.state === 'waiting';
  // The queue has reported its workers already.
  if (held || isLive({ ...record, queue: undefined }, directory))
    throw new CharretteError({
      code: 'usage',
      message: `The run ${record.run} is running${queue?.worker === undefined ? '' : ` in ${queue.worker}`}.`,
      fix: 'Stop it first (Ctrl-C where it runs), or wait until it ends.',
    });
  if (queue?.state === 'queued')
    throw new CharretteError({
      code: 'usage',
      message: `The run ${record.run} waits in the queue; a worker may take it at any moment.`,
      fix: `Let it end, or end it with \`charrette cancel ${record.run}\`.`,
    });
  const { keepsToItsDirectory } = await import('../workflows/create-run.ts');
  if (
    (isFinal(record.status) && record.status !== 'failed') ||
    keepsToItsDirectory(record.workflow, record.inputs)
  )
    return;
  throw new CharretteError({
    code: 'usage',
    message: `The run ${record.run} (${record.workflow}) keeps work outside its directory and cannot continue elsewhere.`,
    fix: `Run \`charrette resume ${record.run}\` here.`,
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
