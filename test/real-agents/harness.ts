/** Calls real agent programs with a fresh HOME, a fake key and a model on loopback; nothing of the caller's environment. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Agent, AgentEvent, AgentTask, LaneResult, Probe } from '../../src/agents/port.ts';
import { createAgent } from '../../src/agents/registry.ts';
import type { AgentSettings, World } from '../../src/agents/settings.ts';
import type { Protocol } from '../../src/base/schema/calls.ts';
import { clearAway } from '../clear-away.ts';
import { agentCommand } from './install.ts';

/** The programs with their own driver. */
export type Program =
  | 'claude'
  | 'codex'
  | 'goose'
  | 'grok'
  | 'gemini'
  | 'opencode'
  | 'qwen'
  | 'copilot'
  | 'pi';

type Endpoint = { protocol: Protocol; path: string; key: string; model: string };

/** How each program is pointed at the scripted model. */
const endpoints: Readonly<Record<Program, Endpoint>> = {
  claude: { protocol: 'claude', path: '', key: 'ANTHROPIC_API_KEY', model: 'scripted-model' },
  codex: { protocol: 'codex', path: '/v1', key: 'OPENAI_API_KEY', model: 'scripted-model' },
  goose: { protocol: 'goose', path: '', key: 'ANTHROPIC_API_KEY', model: 'scripted-model' },
  grok: { protocol: 'grok', path: '/v1', key: 'XAI_API_KEY', model: 'scripted-model' },
  gemini: { protocol: 'gemini', path: '', key: 'GEMINI_API_KEY', model: 'gemini-2.5-pro' },
  opencode: { protocol: 'opencode', path: '/v1', key: 'OPENAI_API_KEY', model: 'scripted-model' },
  qwen: { protocol: 'qwen', path: '/v1', key: 'OPENAI_API_KEY', model: 'scripted-model' },
  copilot: { protocol: 'copilot', path: '/v1', key: 'COPILOT_PROVIDER_API_KEY', model: 'scripted-model' },
  pi: { protocol: 'pi', path: '', key: 'ANTHROPIC_API_KEY', model: 'scripted-model' },
};

export const fakeKey = 'key-of-the-test';

/** A place with as many projects and lanes as are asked for. */
export type Bench = {
  root: string;
  /** A new project with two files. */
  project(): string;
  agent(program: Program, modelUrl: string, jail: World['jail']): Promise<Agent>;
  /** The program with nothing configured but where its model is; the login is the user's own. */
  usersAgent(program: Program, modelUrl: string, user: User): Promise<{ agent: Agent; home: string }>;
  acpAgent(command: readonly string[], env: Record<string, string>, jail: World['jail']): Promise<Agent>;
  /** `prompt` is given the directory in which the agent will work: the project, or its copy without a sandbox. */
  probe(agent: Agent): Promise<Probe>;
  call(agent: Agent, prompt: (directory: string) => string, more?: CallOptions): Promise<Called>;
  remove(): void;
};

/** A user with files in HOME and variables in the environment. */
export type User = { files?: Record<string, string>; variables?: Record<string, string> };

export type CallOptions = Partial<AgentTask> & {
  /** The call whose conversation continues. */
  after?: Called;
  signal?: AbortSignal;
  onEvent?: (event: AgentEvent) => void;
};

export type Called = {
  result: LaneResult;
  events: AgentEvent[];
  laneDirectory: string;
  /** The project, and where the agent worked: in it or in a copy. */
  directory: string;
  place: string;
};

/** Limits of every call in the suites that is not about them: longer than any takes on a busy machine. */
const limits = { wallMs: 240_000, idleMs: 120_000 };
/** For calls that are to end by them. Some say nothing for their whole start. */
const slowStarters: Readonly<Record<string, number>> = { opencode: 45_000, qwen: 30_000 };
export const shortLimits = (id: string) => ({ wallMs: 60_000, idleMs: slowStarters[id] ?? 15_000 });

/** `atOnce` calls run at the same time; more of these programs than that choke two cores. */
export function openBench(atOnce = 5): Bench {
  const gate = openGate(atOnce);
  const root = mkdtempSync(path.join(tmpdir(), 'real-agents-'));
  const user = path.join(root, 'user');
  mkdirSync(user);
  let lanes = 0;
  let projects = 0;
  const jails = new WeakMap<Agent, World['jail']>();
  const make = async (settings: AgentSettings, jail: World['jail']) => {
    const agent = await createAgent(settings, worldOf(user, jail));
    jails.set(agent, jail);
    return agent;
  };
  return {
    root,
    project() {
      projects += 1;
      const project = path.join(root, `project-${projects}`);
      mkdirSync(project);
      writeFileSync(path.join(project, 'README.md'), '# Hello\nThe secret word is PLUGH-7741.\n');
      writeFileSync(path.join(project, 'a.ts'), 'export const a = 1;\n');
      return project;
    },
    agent(program, modelUrl, jail) {
      const { protocol, path: suffix, key, model } = endpoints[program];
      const env = { [key]: fakeKey };
      const command = agentCommand(program);
      return make({ id: program, protocol, command, model, baseUrl: `${modelUrl}${suffix}`, env }, jail);
    },
    async usersAgent(program, modelUrl, { files = {}, variables = {} }) {
      const { protocol, path: suffix, model } = endpoints[program];
      const home = mkdtempSync(path.join(root, 'user-'));
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
        writeFileSync(path.join(home, name), content);
      }
      const world = worldOf(home, 'auto');
      const command = agentCommand(program);
      const settings = { id: program, protocol, command, model, baseUrl: `${modelUrl}${suffix}` };
      const environment = { ...world.environment, ...variables };
      return { agent: await createAgent(settings, { ...world, environment }), home };
    },
    acpAgent: (command, env, jail) => make({ id: 'acp', protocol: 'acp', command, env }, jail),
    probe(agent) {
      lanes += 1;
      const laneDirectory = path.join(root, 'lanes', `${lanes}-${agent.id}`);
      mkdirSync(laneDirectory, { recursive: true });
      const context = { signal: new AbortController().signal, onEvent: () => undefined };
      return gate(() => agent.probe({ ...context, laneDirectory, directory: this.project() }));
    },
    async call(agent, prompt, { after, signal = new AbortController().signal, onEvent, ...more } = {}) {
      lanes += 1;
      const laneDirectory = path.join(root, 'lanes', `${lanes}-${agent.id}`);
      mkdirSync(laneDirectory, { recursive: true });
      const directory = after?.directory ?? more.directory ?? this.project();
      const copied = jails.get(agent) === 'off' && more.access !== 'write';
      const place = after?.place ?? (copied ? path.join(laneDirectory, 'work') : directory);
      const task: AgentTask = {
        task: 'sketch',
        run: 'run',
        seat: agent.id,
        attempt: 1,
        prompt: prompt(place),
        access: 'read',
        limits,
        laneDirectory,
        ...(after === undefined ? {} : { resume: { session: after.result.session ?? '', fork: false } }),
        ...more,
        directory,
      };
      const events: AgentEvent[] = [];
      const hear = (event: AgentEvent) => {
        events.push(event);
        onEvent?.(event);
      };
      const result = await gate(() => agent.call(task, { signal, onEvent: hear }));
      return { result, events, laneDirectory, directory, place };
    },
    remove: () => clearAway(root),
  };
}

/** Lets so many in at a time; the others wait their turn. */
function openGate(places: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let free = places;
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

function worldOf(home: string, jail: World['jail']): World {
  const folders = [path.dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin', bundledBubblewrap()];
  return {
    environment: { PATH: folders.join(path.delimiter), LANG: 'C.UTF-8' },
    home,
    platform: process.platform,
    architecture: process.arch,
    jail,
  };
}

/** Codex brings its own bubblewrap; it is used where the system has none. */
function bundledBubblewrap(): string {
  return path.resolve(path.dirname(agentCommand('codex')[0] ?? ''), '../codex-resources');
}
