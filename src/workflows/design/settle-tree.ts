import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import type { Desk } from './desk.ts';
import { noteTree } from './found-tree.ts';
import { workerHome } from './heavy-place.ts';
import type { Design } from './state.ts';

/**
 * What a person does while the run waits for them is their own: only from here on changes are those of agents. Before every part of the
 * opening in which agents are asked; a run with --auto waits only before the first of them.
 */
export function settleTree(before: string, { withAuto = true } = {}) {
  return async (desk: Desk): Promise<Partial<Design>> => {
    if (desk.inputs.auto && !withAuto) return {};
    const { directory } = desk.context.live;
    await desk.context.step(`tree before ${before}`, async () => {
      // A run whose journal was lost comes here again, with what its agents left.
      if (isAllSeen(directory)) await noteTree(directory, desk.inputs.project);
    });
    return {};
  };
}

/** Keeps whose work in the tree was looked at, and dealt with where it had to be. */
export async function noteSeen(directory: RunDirectory): Promise<void> {
  await writeJsonAtomic(fileOf(directory), { schemaVersion: 1, lanes: lanesIn(directory) });
}

function isAllSeen(directory: RunDirectory): boolean {
  const file = fileOf(directory);
  const reading = existsSync(file) ? readJson(readFileSync(file, 'utf8')) : undefined;
  const seen = reading?.ok && isRecord(reading.value) ? reading.value['lanes'] : undefined;
  const names = Array.isArray(seen) ? seen : [];
  return !existsSync(workerHome(directory)) && lanesIn(directory).every((lane) => names.includes(lane));
}

function fileOf({ root }: RunDirectory): string {
  return path.join(root, 'steps', 'tree-seen.json');
}

/** All but the signs of life, which come before a person is asked anything and are no work in the tree. */
function lanesIn({ lanes }: RunDirectory): string[] {
  const names = existsSync(lanes) ? readdirSync(lanes).sort() : [];
  return names.filter((name) => !name.startsWith('probe-'));
}
