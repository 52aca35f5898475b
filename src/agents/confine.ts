import { rm } from 'node:fs/promises';
import path from 'node:path';
import { completeRepository, findBubblewrap, jailedCommand, watchBorrowing } from './jail.ts';
import type { Access, Confinement } from './port.ts';
import { recordsAround, recordsFolder } from './records.ts';
import type { World } from './settings.ts';
import { changedPaths, copyTree, type Snapshot, snapshotCopy, snapshotTree } from './tree-guard.ts';

export type ConfineRequest = {
  access: Access;
  guard: 'disk' | 'project';
  directory: string;
  home: string;
  laneDirectory: string;
  /** Program and leading arguments, as they were found. */
  program: readonly string[];
  /** What the login and the prompt name outside the directory. */
  visible: readonly string[];
  world: World;
};

/** How an agent is held to its access for one call. */
export type Confined = {
  confinement: Confinement;
  /** Where the agent works: the directory itself or a throw-away copy. */
  directory: string;
  command: (argv: readonly string[]) => string[];
  /** The paths an agent changed that it may not; empty when it kept to its access. Removes the copy. */
  release: () => Promise<string[]>;
};

/** Bubblewrap where it works. Else a copy for readers, with a hash of copy and original before and after. */
export async function confine(request: ConfineRequest): Promise<Confined> {
  const bubblewrap = findBubblewrap(request.world);
  if (bubblewrap !== undefined) {
    const { access, guard, directory, home, laneDirectory, program, visible, world } = request;
    const records = recordsAround(laneDirectory) ?? path.join(directory, recordsFolder);
    const search = world.environment['PATH'] ?? '';
    const view = { directory, program, records, guard, userHome: world.home, search, visible };
    const user = process.getuid?.();
    if (access === 'write') completeRepository(directory);
    return {
      confinement: 'bubblewrap',
      directory,
      command: (argv) => jailedCommand(bubblewrap, { ...view, argv, home, access, user }),
      release: access === 'write' ? watchBorrowing(directory) : async () => [],
    };
  }
  if (request.access === 'write') {
    const { directory } = request;
    return { confinement: 'in-place', directory, command: (argv) => [...argv], release: async () => [] };
  }
  return watchReader(request);
}

async function watchReader({ directory, laneDirectory }: ConfineRequest): Promise<Confined> {
  const copy = await copyTree(directory, path.join(laneDirectory, 'work'));
  const look = () =>
    Promise.all([snapshotTree(directory), ...(copy === undefined ? [] : [snapshotCopy(copy)])]);
  const before = await look();
  return {
    confinement: copy === undefined ? 'in-place' : 'copy',
    directory: copy ?? directory,
    command: (argv) => [...argv],
    release: async () => {
      const after = await look();
      if (copy !== undefined) await rm(copy, { recursive: true, force: true });
      const changed = before.flatMap((snapshot: Snapshot, index) =>
        changedPaths(snapshot, after[index] ?? new Map()),
      );
      return [...new Set(changed)].sort();
    },
  };
}
