import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { isMissing } from '../base/files/contained.ts';
import { askGit } from './ask-git.ts';
import { leadsIntoRecords } from './records.ts';

/** So many ignored files are looked at: more would take longer than many a call. */
const watchedFiles = 20_000;
const packages = 'node_modules';
/**
 * Fingerprints what git ignores below a directory by what the file system says of it, without reading it. Packages come last:
 * they are what is left out where there is too much.
 */
export async function ignoredPrints(directory: string, most = watchedFiles): Promise<[string, string][]> {
  const words = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  const listed = (await askGit(directory, words))?.split('\0') ?? [];
  const names = listed.filter((name) => name !== '').map((name) => name.replace(/\/$/, ''));
  const later: string[] = [];
  const first = await look(directory, names, most, (name) => {
    if (path.basename(name) !== packages) return true;
    later.push(name);
    return false;
  });
  return [...first, ...(await look(directory, later, most - first.length, () => true))];
}

/** The prints of names and of all that lies below them, the nearest first. */
async function look(
  directory: string,
  names: readonly string[],
  most: number,
  isWanted: (name: string) => boolean,
): Promise<[string, string][]> {
  const prints: [string, string][] = [];
  const queue = [...names];
  for (const name of queue) {
    if (prints.length >= most) break;
    if (isWrittenByOthers(name) || !isWanted(name)) continue;
    const { print, inside } = lookAt(path.join(directory, name));
    if (print !== undefined) prints.push([name, print]);
    for (const entry of inside) queue.push(path.join(name, entry));
    if (prints.length % 500 === 499) await turn();
  }
  return prints;
}

/** Lanes write into the records at any time, and git into a repository that is among what is ignored. */
function isWrittenByOthers(name: string): boolean {
  return leadsIntoRecords(name) || path.basename(name) === '.git';
}

function lookAt(place: string): { print?: string; inside: string[] } {
  try {
    const facts = lstatSync(place, { bigint: true });
    if (facts.isDirectory()) return { inside: readdirSync(place).sort() };
    if (facts.isSymbolicLink()) return { print: `link ${readlinkSync(place)}`, inside: [] };
    // Times can be set back, the last one cannot; but it moves too when a file that is shared gets one more name.
    const { size, mtimeNs, ctimeNs, ino, mode, nlink } = facts;
    const changed = nlink > 1n ? '' : ctimeNs;
    return { print: [mode.toString(8), size, mtimeNs, ino, changed].join(' '), inside: [] };
  } catch (error) {
    if (isMissing(error) || isRefused(error)) return { inside: [] };
    throw error;
  }
}

/** What cannot be looked at cannot be written by an agent of the same user without a trace around it. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
}
