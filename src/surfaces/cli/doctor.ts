import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findOnPath } from '../../agents/detect.ts';
import { findBubblewrap } from '../../agents/jail.ts';
import { agentVersion, drivers } from '../../agents/registry.ts';
import { thisWorld, type World } from '../../agents/settings.ts';
import { loadConfig } from '../../base/config/config.ts';
import type { Config } from '../../base/schema/config.ts';
import { type Home, listRunIds } from '../../engine/run-directory.ts';
import { runGit } from '../../repo/git/run-git.ts';
import { rosterOf, seatAgents } from '../../workflows/roster.ts';
import type { CommandSpec } from './command.ts';
import { columns } from './help.ts';
import { findHome } from './project.ts';

type AgentHealth = {
  id: string;
  protocol: string;
  title: string;
  family: string;
  version?: string;
  healthy?: boolean;
  message?: string;
};

export const command: CommandSpec = {
  name: 'doctor',
  summary: 'Agents found and their health, jail, git, store',
  examples: [
    ['charrette doctor', 'what is installed'],
    ['charrette doctor --probe', 'also ask every agent for a sign of life (one small model call each)'],
  ],
  options: [{ flags: '--probe', description: 'call every agent once' }],
  dryRun: 'says',
  async run({ options, global, terminal, signal }) {
    const home = findHome(global.cwd);
    const world = thisWorld();
    const { config, files } = await loadConfig({
      project: home.project,
      env: terminal.env,
      file: global.config,
    });
    const roster = rosterOf(config, world);
    const probe = options['probe'] === true;
    const agents = await examineAgents(roster, world, home, probe && !global.dryRun, signal);
    const wouldProbe = probe && global.dryRun ? roster.map(({ id }) => id) : undefined;
    const bubblewrap = findBubblewrap(world);
    const store = await storeFacts(home);
    const report = {
      node: process.versions.node,
      git: findOnPath('git', world) ?? null,
      gitVersion: await gitVersion(home.project),
      jail: bubblewrap ?? null,
      jailSwitchedOff: world.jail === 'off',
      project: home.project,
      configuration: files,
      store: {
        kind: typeof config.store === 'object' ? 'shared' : 'embedded',
        ...store,
        ...(await problemOf(config)),
      },
      agents,
      notFound: notFound(agents, config.detect !== false),
    };
    if (wouldProbe === undefined) return { exit: 0, json: report, text: renderReport(report) };
    const text = `${renderReport(report)}\nWould ask ${wouldProbe.join(', ')} for a sign of life.\n`;
    return { exit: 0, json: { ...report, dryRun: true, wouldProbe }, text };
  },
};

async function gitVersion(directory: string): Promise<string | null> {
  const { stdout } = await runGit(directory, ['--version']);
  return /\d+\.\d+(?:\.\d+)*/.exec(stdout)?.[0] ?? null;
}

/** What joins work without touching a checkout came with this one. */
const neededGit = [2, 38] as const;

function describeGit({ git, gitVersion: version }: Pick<Report, 'git' | 'gitVersion'>): string {
  if (git === null) return 'not found: install git to design for repositories';
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const old = major < neededGit[0] || (major === neededGit[0] && minor < neededGit[1]);
  const advice = old ? `; lite-execute, feature and refine need ${neededGit.join('.')}` : '';
  return `${version ?? 'unknown'}, ${git}${advice}`;
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

/** Agents that would have been taken, had their program been on PATH. */
function notFound(agents: readonly AgentHealth[], detect: boolean): string[] {
  if (!detect) return [];
  return Object.entries(drivers)
    .filter(
      ([protocol, { programs }]) =>
        programs.length > 0 && !agents.some((agent) => agent.protocol === protocol),
    )
    .map(([protocol]) => protocol);
}

/** A shared store that nobody can use is found out here, not by the first run. */
async function problemOf({ store }: Config): Promise<{ problem?: string }> {
  if (typeof store !== 'object') return {};
  const { serverFault } = await import('../../engine/server-fault.ts');
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

/** Runs whose files are looked at; of a longer history an even sample stands for the rest. */
const mostMeasured = 1000;

async function sizeOfRuns(
  home: Home,
  ids: readonly string[],
): Promise<Pick<StoreFacts, 'runBytes' | 'runBytesBasis'>> {
  if (ids.length <= mostMeasured) return { runBytes: await sizeOf(home.runs), runBytesBasis: 'measured' };
  let bytes = 0;
  for (let number = 0; number < mostMeasured; number += 1) {
    const id = ids[Math.floor((number * ids.length) / mostMeasured)] ?? '';
    bytes += await sizeOf(path.join(home.runs, id));
  }
  return { runBytes: Math.round((bytes * ids.length) / mostMeasured), runBytesBasis: 'estimated' };
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

type Report = {
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

function renderReport(report: Report): string {
  const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;
  const rows: [string, string][] = [
    ['node', report.node],
    ['git', describeGit(report)],
    [
      'jail',
      report.jail ??
        `${report.jailSwitchedOff ? 'switched off by CHARRETTE_JAIL' : 'bubblewrap not found'}: agents with read access work on a copy and are checked afterwards`,
    ],
    ['project', report.project],
    ['configuration', report.configuration.join(', ') || 'none'],
    [
      'store',
      `${report.store.kind}, ${megabytes(report.store.bytes)}; ${report.store.runs} runs, ${report.store.runBytesBasis === 'estimated' ? '~' : ''}${megabytes(report.store.runBytes)}`,
    ],
    ...(report.store.problem === undefined ? [] : [['', report.store.problem] as [string, string]]),
  ];
  const agents = report.agents.map(({ id, title, version, healthy, message }) => {
    const health = healthy === undefined ? '' : healthy ? ', healthy' : `, not healthy: ${message}`;
    return [id, `${title}${version === undefined ? '' : ` ${version}`}${health}`] as const;
  });
  const missing =
    report.notFound.length === 0
      ? []
      : ['', 'Not on PATH', `  ${report.notFound.join(', ')}`, '', 'Others: `agents` in the configuration.'];
  return `${[...columns(rows), '', 'Agents', ...columns(agents), ...missing].join('\n')}\n`;
}
