import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';

/**
 * Flags of a measured process: it can collect on request, and code is compiled once. What V8's other compilers keep about hot code
 * grows for hundreds of runs and does not belong to the program.
 */
export const steadyNode = ['--expose-gc', '--no-flush-bytecode', '--no-opt', '--no-maglev', '--no-sparkplug'];

/** Memory and handles of this process after a collection. Bytes. */
export type ProcessLook = {
  rss: number;
  /** What the program's own values take, compiled code left out. */
  heap: number;
  /** Buffers, and the memory of WebAssembly. */
  external: number;
  handles: number;
  /** Timers, sockets and the like. */
  resources: number;
};

/** `besides`: a folder whose open files do not count. */
export async function lookAtProcess(besides?: string): Promise<ProcessLook> {
  // What a finaliser frees is only gone after the next collection.
  for (let turn = 0; turn < 3; turn += 1) {
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    await sleep(20);
  }
  const { rss, external } = process.memoryUsage();
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => !/^(?:code|trusted)/.test(name));
  return {
    rss,
    heap: spaces.reduce((sum, { space_used_size: used }) => sum + used, 0),
    external,
    handles: openFiles().filter((name) => besides === undefined || !name.startsWith(besides)).length,
    resources: process.getActiveResourcesInfo().length,
  };
}

function openFiles(): string[] {
  const folder = '/proc/self/fd';
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      // The one that reads the folder.
      return [];
    }
  });
}
