import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeJsonAtomic } from '../../files/atomic.ts';
import { parseJson } from '../../safe-json.ts';
import type { LiteDesk } from './desk.ts';
import { checkoutOf } from './execution.ts';

/** The commit a piece of work began at, and the part of its prompt that depends on how far the run was then. */
export type Beginning<Words> = { start: string; words: Words };

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
  const file = path.join(desk.context.live.directory.root, 'steps', `begin-${name}.json`);
  // Without its checkout the work is gone, whatever was answered.
  if (existsSync(file) && existsSync(checkoutOf(desk, name))) {
    const kept = parseJson(readFileSync(file, 'utf8'), file) as Beginning<Words> & { about: string };
    if (kept.about === about) return { start: kept.start, words: kept.words };
  }
  await writeJsonAtomic(file, { schemaVersion: 1, about, ...fresh });
  return fresh;
}
