import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AccountState } from '../agents/accounts.ts';
import { findBubblewrap } from '../agents/jail.ts';
import type { LoginState } from '../agents/private-home.ts';
import { accountOf, agentLogin, agentVersion, drivers, findOnPath } from '../agents/registry.ts';
import { type AgentSettings, thisWorld, type World } from '../agents/settings.ts';
import type { Config } from '../base/schema/config.ts';
import { readEvents } from '../engine/event-log.ts';
import { type Home, listRunIds, runDirectoryOf } from '../engine/run-directory.ts';
import { repositoryFacts } from '../repo/git/repository-facts.ts';
import { runGit } from '../repo/git/run-git.ts';
import { rosterOf, seatAgents } from '../workflows/roster.ts';
import { type Project, settingsOf } from './project.ts';
import { listRuns } from './runs.ts';

export type AgentHealth = {
  id: string;
  protocol: string;
  title: string;
  family: string;
  version?: string;
  /** Whether a login was found; no agent was called for it. */
  login: LoginState;
  /** How to log in, when no login was found. */
  signIn?: string;
  healthy?: boolean;
  message?: string;
  /** What is known of its account without a call. */
  account?: AccountState;
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
  /** What to do about each problem, one command or action each. */
  fixes: string[];
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
  const report = {
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
  return { ...report, fixes: fixesFor(report, world) };
}

/** Merging work without a checkout came with this version. */
const neededGit = [2, 38] as const;

function fixesFor(
  { git, gitVersion: version, jail, jailSwitchedOff, agents }: Omit<DoctorReport, 'fixes'>,
  { platform }: World,
): string[] {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const isOld = major < neededGit[0] || (major === neededGit[0] && minor < neededGit[1]);
  return [
    ...(git === null ? [`Install git ${neededGit.join('.')} or newer.`] : []),
    ...(git !== null && isOld
      ? [`Update git ${version ?? ''} to ${neededGit.join('.')}; build, feature and refine need it.`]
      : []),
    ...(jail === null && !jailSwitchedOff && platform === 'linux'
      ? ['Install bubblewrap, for example with `apt install bubblewrap`, to run readers in a sandbox.']
      : []),
    ...addAgent(agents),
    ...agents.flatMap(({ id, signIn, healthy, message, account }) => [
      ...(signIn === undefined ? [] : [`${id}: ${signIn}.`]),
      ...(healthy === false && account?.usedUp === undefined
        ? [`${id}: ${message ?? 'the health check failed'}`]
        : []),
    ]),
  ];
}

/** How to add an agent when there is none with a model. */
function addAgent(agents: readonly AgentHealth[]): string[] {
  if (agents.some(({ protocol }) => protocol !== 'static')) return [];
  return ['Add an agent: `npm install -g @anthropic-ai/claude-code` or `npm install -g @openai/codex`.'];
}

/** What `charrette` alone shows: agents, the latest run and the one next command. */
export type Overview = {
  project: string;
  branch?: string;
  agents: AgentHealth[];
  latest?: { run: string; workflow: string; status: string; title: string };
  next: { command: string; why: string };
};

export async function overview(project: Project, signal: AbortSignal): Promise<Overview> {
  const world = thisWorld();
  const { config } = await (await import('../base/config/config.ts')).loadConfig({
    project: project.project,
    env: project.env,
    file: project.configFile,
  });
  const [agents, facts, record] = await Promise.all([
    examineAgents(rosterOf(config, world), world, project, false, signal),
    repositoryFacts(project.project),
    latestRecord(project),
  ]);
  const { run, workflow, status, title } = record ?? {};
  const latest =
    record === undefined
      ? {}
      : { latest: { run, workflow, status, title } as NonNullable<Overview['latest']> };
  return {
    project: project.project,
    ...(facts.branch === undefined ? {} : { branch: facts.branch }),
    agents,
    ...latest,
    next: nextCommand(facts.head !== undefined, agents, latest.latest),
  };
}

async function latestRecord(project: Project) {
  const { runs } = await listRuns(project, { limit: 1 });
  return runs[0];
}

/** The one command that helps most now. */
function nextCommand(
  hasCommit: boolean,
  agents: readonly AgentHealth[],
  latest: Overview['latest'],
): Overview['next'] {
  if (!hasCommit)
    return { command: 'git add --all && git commit -m "first"', why: 'plans refer to a commit' };
  const able = agents.filter(({ protocol, login }) => protocol !== 'static' && login !== 'missing');
  if (agents.every(({ login, protocol }) => protocol !== 'static' && login === 'missing'))
    return { command: 'charrette doctor', why: 'no agent is logged in' };
  switch (latest?.status) {
    case 'running':
      return { command: 'charrette watch', why: 'follow the latest run' };
    case 'paused':
      return { command: 'charrette resume latest', why: 'answer its questions and continue' };
    case 'stopped':
    case 'interrupted':
      return { command: 'charrette resume latest', why: 'continue the latest run' };
    case 'done':
      if (latest.workflow === 'design' && able.length > 0)
        return { command: 'charrette build --run latest', why: 'implement the plan' };
  }
  const why =
    able.length > 0
      ? 'get a reviewed plan'
      : 'get a brief of relevant files; `charrette doctor` shows how to add an agent';
  return { command: 'charrette design "what you want to build"', why };
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
          ...(await agentLogin(settings, world)),
          ...accountFacts(settings, world),
        };
        if (!probe || agent === undefined) return known;
        const laneDirectory = await mkdtemp(path.join(folder, `${settings.id}-`));
        const probed = await agent.probe({ signal, onEvent() {}, laneDirectory, directory: home.project });
        // The call may have met a limit.
        return { ...known, ...probed, ...accountFacts(settings, world) };
      }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function accountFacts(settings: AgentSettings, world: World): Pick<AgentHealth, 'account'> {
  const account = accountOf(settings, world)?.state(Date.now()) ?? {};
  return Object.keys(account).length === 0 ? {} : { account };
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
  const { serverFault } = await import('../engine/pools.ts');
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

/** The agents with what is known of their accounts; no agent is called. */
export async function agentStates(project: Project, signal: AbortSignal): Promise<AgentHealth[]> {
  const world = thisWorld();
  return examineAgents(rosterOf(await settingsOf(project), world), world, project, false, signal);
}

/** Forgets that the account of an agent is used up. */
export async function retryAccount(
  project: Project,
  name: string,
  world: World,
  dryRun: boolean,
): Promise<{ known: string[]; wasUsedUp: boolean }> {
  const roster = rosterOf(await settingsOf(project), world);
  const settings = roster.find(({ id }) => id === name);
  const account = settings === undefined ? undefined : accountOf(settings, world);
  const wasUsedUp = account?.read() !== undefined;
  if (!dryRun) account?.clear();
  return { known: roster.map(({ id }) => id), wasUsedUp };
}

export type AgentRecord = {
  agent: string;
  answered: number;
  /** Failed attempts by kind. */
  failures: Record<string, number>;
  medianMs?: number;
};

/** How the calls of each agent ended, over all runs of the project. */
export async function agentRecords(project: Project): Promise<AgentRecord[]> {
  const records = new Map<string, AgentRecord & { times: number[] }>();
  const recordOf = (agent: string) => {
    const known = records.get(agent) ?? { agent, answered: 0, failures: {}, times: [] };
    records.set(agent, known);
    return known;
  };
  for (const run of await listRunIds(project)) {
    for (const event of readEvents(runDirectoryOf(project, run).events)) {
      if (event.type === 'lane-end' && event.kind === 'ok') {
        const record = recordOf(event.agent);
        record.answered += 1;
        record.times.push(event.elapsedMs);
      } else if (event.type === 'lane-retry') {
        const { failures } = recordOf(event.agent);
        failures[event.kind] = (failures[event.kind] ?? 0) + 1;
      }
    }
  }
  return [...records.values()].map(({ times, ...record }) => {
    const median = times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
    return { ...record, ...(median === undefined ? {} : { medianMs: median }) };
  });
}
