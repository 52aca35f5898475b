import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clearAway } from '../clear-away.ts';

/** The message of a case without a separate disk. */
export const unmountable = 'not tried: only root can mount a small disk';

const mounts = new Set<string>();

export function unmountAll(): void {
  for (const mount of mounts) {
    // A process that is just ending may still use it.
    try {
      run('umount', '--lazy', mount);
    } catch {}
    clearAway(mount, `${mount}.image`);
  }
  mounts.clear();
}

/** A disk in memory. */
export function smallDisk(kilobytes: number): string | undefined {
  return mounted((mount) => run('mount', '-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', mount));
}

export type FailingDisk = {
  folder: string;
  /** From now on it refuses every write, to files that are open, too: as a disk on which the system has found an error. */
  turnReadOnly(): void;
  /** Puts another one with the same files in its place; no process may use it. */
  repair(): Promise<void>;
};

/** A file system in a file: one in memory cannot be made read-only while files are open. */
export function failingDisk(megabytes: number): FailingDisk | undefined {
  const attach = (folder: string) => run('mount', '-o', 'loop,errors=remount-ro', `${folder}.image`, folder);
  const folder = mounted((mount) => {
    writeFileSync(`${mount}.image`, '');
    truncateSync(`${mount}.image`, megabytes * 1024 * 1024);
    run('mkfs.ext4', '-q', '-O', '^has_journal', `${mount}.image`);
    attach(mount);
  });
  if (folder === undefined) return undefined;
  return {
    folder,
    turnReadOnly() {
      // What was written before is on it: a disk that loses that is another fault.
      run('sync', '--file-system', folder);
      run('mount', '-o', 'remount,abort', folder);
    },
    async repair() {
      await unmount(folder);
      // Another one with the same files: a jail that began while it was there keeps the failed one.
      copyFileSync(`${folder}.image`, `${folder}.copy`);
      renameSync(`${folder}.copy`, `${folder}.image`);
      attach(folder);
    },
  };
}

/** Tries for a while: what a program that has ended leaves behind ends a moment after it. */
async function unmount(folder: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return run('umount', folder);
    } catch (error) {
      if (tries >= 100) throw error;
      await sleep(200);
    }
  }
}

function mounted(mount: (folder: string) => void): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-disk-'));
  try {
    mount(folder);
  } catch {
    return undefined;
  }
  mounts.add(folder);
  return folder;
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, [...args], {
    stdio: 'pipe',
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` },
  });
}
