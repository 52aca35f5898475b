import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../base/files/contained.ts';
import { realPath } from './jail-view.ts';

/** What decides which code git runs when somebody calls it outside the jail. */
const decisive = ['hooks', 'config', 'config.worktree', 'worktrees'];

/**
 * How the repository of a writer is mounted over its directory: as itself, so that it can be written but not be taken away and
 * replaced, and what is decisive in it read-only. One that is a file only says where the repository is.
 */
export function repositoryMounts(directory: string): string[][] {
  const place = repositoryIn(directory);
  if (place === undefined) return [];
  if (!lstatSync(place).isDirectory()) return [['--ro-bind', place, place]];
  const parts = decisive.map((name) => path.join(place, name)).filter((part) => existsSync(part));
  return [['--bind', place, place], ...parts.map((part) => ['--ro-bind', part, part])];
}

/** Makes what git would look for and a writer could make: only what is there can be mounted. */
export function completeRepository(directory: string): void {
  const place = repositoryIn(directory);
  if (place === undefined || !existsSync(path.join(place, 'HEAD'))) return;
  try {
    mkdirSync(path.join(place, 'hooks'), { recursive: true });
    const config = path.join(place, 'config');
    touch(config);
    // Git reads the other one only where this one says so.
    if (/worktreeconfig/i.test(readFileSync(config, 'utf8'))) touch(path.join(place, 'config.worktree'));
  } catch {
    // Who cannot write there is no danger to it.
  }
}

function touch(file: string): void {
  if (!existsSync(file)) writeFileSync(file, '', { flag: 'wx' });
}

/**
 * A file by which a repository borrows the configuration of another. It cannot be kept from being made where git must be able to write,
 * so it is taken away when the writer has ended.
 */
export function watchBorrowing(directory: string): () => Promise<string[]> {
  const place = repositoryIn(directory);
  if (place === undefined || !lstatSync(place).isDirectory()) return async () => [];
  const file = path.join(place, 'commondir');
  if (existsSync(file)) return async () => [];
  return async () => {
    const made = await lstat(file).catch(() => undefined);
    if (made === undefined) return [];
    await rm(file, { recursive: true });
    return [path.relative(realPath(directory), file)];
  };
}

/** Where `.git` of a directory really is; one that a link leads to outside it is no more writable than its surroundings. */
function repositoryIn(directory: string): string | undefined {
  const work = realPath(directory);
  const place = path.join(work, '.git');
  const real = existsSync(place) ? realPath(place) : undefined;
  return real !== undefined && isInside(work, real) ? real : undefined;
}
