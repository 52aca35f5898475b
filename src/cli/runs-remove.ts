import { rm } from 'node:fs/promises';
import { type Home, runDirectoryOf } from '../engine/run-directory.ts';
import { isFinal, isLive, readRunRecord } from '../engine/run-record.ts';
import { CharretteError } from '../errors.ts';
import type { CommandSpec } from './command.ts';
import { findHome, findRun } from './project.ts';
import { listRuns } from './run-list.ts';

export const remove: CommandSpec = {
  name: 'rm',
  summary: 'Remove runs with everything they wrote',
  examples: [['charrette runs rm 20261115-205512-add-rate-limiting-4f2a90c1', 'remove one run']],
  arguments: [['<runs...>', 'run ids or unambiguous parts of them']],
  async run({ arguments: [names], global }) {
    const home = findHome(global.cwd);
    const removed: string[] = [];
    for (const name of names as string[])
      removed.push(await removeRun(home, (await findRun(home, name)).id, global.dryRun));
    return {
      exit: 0,
      json: { removed, dryRun: global.dryRun },
      text: `${describe(removed, global.dryRun)}\n`,
    };
  },
};

export const prune: CommandSpec = {
  name: 'prune',
  summary: 'Remove ended runs that are old, or all but the newest',
  examples: [
    ['charrette runs prune --older-than 30', 'ended runs older than 30 days'],
    ['charrette runs prune --keep 20 --dry-run', 'say which runs beyond the newest 20 would go'],
  ],
  options: [
    { flags: '--older-than <days>', description: 'age in days', parse: wholeNumber('--older-than') },
    { flags: '--keep <count>', description: 'keep this many of the newest', parse: wholeNumber('--keep') },
  ],
  async run({ options, global }) {
    const home = findHome(global.cwd);
    const { olderThan, keep } = options as { olderThan?: number; keep?: number };
    if (olderThan === undefined && keep === undefined) {
      throw new CharretteError({ code: 'usage', message: '`runs prune` needs --older-than or --keep.' });
    }
    const limit = olderThan === undefined ? Number.POSITIVE_INFINITY : Date.now() - olderThan * 86_400_000;
    const ended = (await listRuns(home)).filter(
      (run) => run.status !== 'unreadable' && isFinal(run.status as never),
    );
    const old = ended.slice(keep ?? 0).filter((run) => Date.parse(run.created) < limit);
    const removed: string[] = [];
    for (const { run } of old) removed.push(await removeRun(home, run, global.dryRun));
    return {
      exit: 0,
      json: { removed, dryRun: global.dryRun },
      text: `${describe(removed, global.dryRun)}\n`,
    };
  },
};

async function removeRun(home: Home, id: string, dryRun: boolean): Promise<string> {
  const directory = runDirectoryOf(home, id);
  const record = await readRunRecord(directory).catch(() => undefined);
  if (record !== undefined && isLive(record)) {
    throw new CharretteError({
      code: 'usage',
      message: `The run ${id} is going on in process ${record.process?.pid}.`,
      fix: `Cancel it first: \`charrette cancel ${id}\`.`,
    });
  }
  if (!dryRun) await rm(directory.root, { recursive: true, force: true });
  return id;
}

function describe(removed: readonly string[], dryRun: boolean): string {
  if (removed.length === 0) return 'Nothing to remove.';
  return `${dryRun ? 'Would remove' : 'Removed'} ${removed.length}: ${removed.join(', ')}`;
}

function wholeNumber(flag: string) {
  return (value: string) => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= 0) return number;
    throw new CharretteError({
      code: 'usage',
      message: `${flag} was ${JSON.stringify(value)}; it takes a whole number.`,
    });
  };
}
