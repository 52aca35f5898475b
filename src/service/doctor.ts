import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findOnPath } from '../agents/detect.ts';
import { findBubblewrap } from '../agents/jail.ts';
import { agentVersion, drivers } from '../agents/registry.ts';
import { thisWorld, type World } from '../agents/settings.ts';
import type { Config } from '../base/schema/config.ts';
import { type Home, listRunIds } from '../engine/run-directory.ts';
import { runGit } from '../repo/git/run-git.ts';
import { rosterOf, seatAgents } from '../workflows/roster.ts';
import type { Project } from './project.ts';

type AgentHealth = {
  id: string;
  protocol: string;
  title: string;
  family: string;
  version?: string;
  healthy?: boolean;
  message?: string;
};

export type DoctorReport = {
  node: string;
  git: string | null;
  gitVersion: string | null;
  jail: string | null;
  jailSwitchedOff: boolean;
  project: string;
  configuration: string[];
  store: { kind: string; problem?: string } & StoreFacts;
  agents: AgentHealth[];
  notFound: string[];
};

/** Checks what Charrette needs: agents, git, the sandbox and the store. `probe` calls every agent once. */
export async function doctor(
  project: Project,
  { probe = false, signal = new AbortController().signal }: { probe?: boolean; signal?: AbortSignal } = {},
): Promise<DoctorReport> {
  const world = thisWorld();
  const { loadConfig } = await import('../base/config/config.ts');
  const { config, files } = await loadConfig({
    project: project.project,
    env: project.env,
    file: project.configFile,
  });
  const agents = await examineAgents(rosterOf(config, world), world, project, probe, signal);
  return {
    node: process.versions.node,
    git: findOnPath('git', world) ?? null,
    gitVersion: await gitVersion(project.project),
    jail: findBubblewrap(world) ?? null,
    jailSwitchedOff: world.jail === 'off',
    project: project.project,
    configuration: files,
    store: {
      kind: typeof config.store === 'object' ? 'shared' : 'embedded',
      ...(await storeFacts(project)),
      ...(await problemOf(config)),
    },
    agents,
    notFound: notFound(agents, config.detect !== false),
  };
}

async function gitVersion(directory: string): Promise<string | null> {
  const { stdout } = await runGit(directory, ['--version']);
  return /\d+\.\d+(?:\.\d+)*/.exec(stdout)?.[0] ?? null;
}

async function examineAgents(
  roster: ReturnType<typeof rosterOf>,
  world: World,
  home: Home,
  probe: boolean,
  signal: AbortSignal,
): Promise<AgentHealth[]> {
  const seated = await seatAgents(roster, world);
  const folder = await mkdtemp(path.join(tmpdir(), 'charrette-doctor-'));
  try {
    return await Promise.all(
      roster.map(async (settings): Promise<AgentHealth> => {
        const agent = seated.get(settings.id);
        const version = await agentVersion(settings, world, folder, signal);
        const known = {
          id: settings.id,
          protocol: settings.protocol,
          title: agent?.title ?? '',
          family: agent?.family ?? '',
          version,
        };
        if (!probe || agent === undefined) return known;
        const laneDirectory = await mkdtemp(path.join(folder, `${settings.id}-`));
        return {
          ...known,
          ...(await agent.probe({ signal, onEvent() {}, laneDirectory, directory: home.project })),
        };
      }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Agents that would be used if their program were on PATH. */
function notFound(agents: readonly AgentHealth[], detect: boolean): string[] {
  if (!detect) return [];
  return Object.entries(drivers)
    .filter(
      ([protocol, { programs }]) =>
        programs.length > 0 && !agents.some((agent) => agent.protocol === protocol),
    )
    .map(([protocol]) => protocol);
}

/** Finds a shared store that cannot be used before the first run does. */
async function problemOf({ store }: Config): Promise<{ problem?: string }> {
  if (typeof store !== 'object') return {};
  const { serverFault } = await import('../engine/shared-pool.ts');
  const fault = await serverFault(store.url);
  return fault === undefined ? {} : { problem: `${fault.message} ${fault.fix}` };
}

async function storeFacts(home: Home): Promise<StoreFacts> {
  const ids = await listRunIds(home);
  return {
    path: home.store,
    bytes: await sizeOf(home.store),
    runs: ids.length,
    ...(await sizeOfRuns(home, ids)),
  };
}

/** Runs whose files are measured; of a longer history an even sample represents the rest. */
const maxMeasured = 1000;

async function sizeOfRuns(
  home: Home,
  ids: readonly string[],
): Promise<Pick<StoreFacts, 'runBytes' | 'runBytesBasis'>> {
  if (ids.length <= maxMeasured) return { runBytes: await sizeOf(home.runs), runBytesBasis: 'measured' };
  let bytes = 0;
  for (let number = 0; number < maxMeasured; number += 1) {
    const id = ids[Math.floor((number * ids.length) / maxMeasured)] ?? '';
    bytes += await sizeOf(path.join(home.runs, id));
  }
  return { runBytes: Math.round((bytes * ids.length) / maxMeasured), runBytesBasis: 'estimated' };
}

/** One folder after another: all files of a long history at once would take a gigabyte. */
async function sizeOf(root: string): Promise<number> {
  let bytes = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const files: string[] = [];
    for (const entry of entries) {
      const place = path.join(folder, entry.name);
      if (entry.isDirectory()) folders.push(place);
      else if (entry.isFile()) files.push(place);
    }
    const sizes = await Promise.all(files.map((file) => stat(file).catch(() => ({ size: 0 }))));
    bytes += sizes.reduce((sum, { size }) => sum + size, 0);
  }
  return bytes;
}

type StoreFacts = {
  path: string;
  bytes: number;
  runs: number;
  runBytes: number;
  runBytesBasis: 'measured' | 'estimated';
};
