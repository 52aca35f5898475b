import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { parseJson } from '../../base/safe-json.ts';
import type { LiteDesk } from './desk.ts';
import { checkoutOf } from './execution.ts';

/** The commit a piece of work began at, the part of its prompt that depends on how far the run was then, and where it is asked for. */
export type Beginning<Words> = { start: string; words: Words; lane: string };

type Kept<Words> = Beginning<Words> & { about: string; lost: number };

/**
 * Begins a piece of work once. A run that goes on after its failure asks again for what has not landed: on the same commit and in the
 * same words its answer is found, and only landing is left. `about`: what the beginning holds for.
 */
export async function beginOnce<Words>(
  desk: LiteDesk,
  name: string,
  about: string,
  fresh: Beginning<Words>,
): Promise<Beginning<Words>> {
  const { root, lanes } = desk.context.live.directory;
  const file = path.join(root, 'steps', `begin-${name}.json`);
  const kept = existsSync(file)
    ? (parseJson(readFileSync(file, 'utf8'), file) as Kept<Words>)
    : { ...fresh, about: undefined, lost: 0 };
  const isThere = existsSync(checkoutOf(desk, name));
  if (isThere && kept.about === about) return { start: kept.start, words: kept.words, lane: kept.lane };
  // Without its checkout the work is gone, whatever was answered: only in a lane of its own is it asked for again.
  const isLost = !isThere && existsSync(path.join(lanes, `${kept.lane}-1`));
  const lost = kept.lost + (isLost ? 1 : 0);
  const beginning = { ...fresh, lane: lost === 0 ? fresh.lane : `${fresh.lane}-again-${lost}` };
  await writeJsonAtomic(file, { schemaVersion: 1, about, lost, ...beginning });
  return beginning;
}
