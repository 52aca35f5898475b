/** Calls real agent programs with a fresh HOME, a fake key and a model on loopback; nothing of the caller's environment. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Agent, AgentEvent, AgentTask, LaneResult } from '../../src/agents/port.ts';
import { createAgent } from '../../src/agents/registry.ts';
import type { AgentSettings, Protocol, World } from '../../src/agents/settings.ts';
import { agentCommand } from './install.ts';

/** The programs with a driver of their own. */
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

/** One project with one file, and as many lanes as are asked for. */
export type Bench = {
  root: string;
  project: string;
  agent(program: Program, modelUrl: string, jail: World['jail']): Promise<Agent>;
  acpAgent(command: readonly string[], env: Record<string, string>, jail: World['jail']): Promise<Agent>;
  call(agent: Agent, prompt: string, more?: Partial<AgentTask>, signal?: AbortSignal): Promise<Called>;
  remove(): void;
};

export type Called = { result: LaneResult; events: AgentEvent[]; laneDirectory: string };

/** Limits of every call in the suites. */
export const limits = { wallMs: 60_000, idleMs: 15_000 };

export function openBench(): Bench {
  const root = mkdtempSync(path.join(tmpdir(), 'real-agents-'));
  const project = path.join(root, 'project');
  const user = path.join(root, 'user');
  for (const folder of [project, user]) mkdirSync(folder);
  writeFileSync(path.join(project, 'README.md'), '# Hello\nThe secret word is PLUGH-7741.\n');
  writeFileSync(path.join(project, 'a.ts'), 'export const a = 1;\n');
  let lanes = 0;
  const make = (settings: AgentSettings, jail: World['jail']) => createAgent(settings, worldOf(user, jail));
  return {
    root,
    project,
    agent(program, modelUrl, jail) {
      const { protocol, path: suffix, key, model } = endpoints[program];
      const env = { [key]: fakeKey };
      const command = agentCommand(program);
      return make({ id: program, protocol, command, model, baseUrl: `${modelUrl}${suffix}`, env }, jail);
    },
    acpAgent: (command, env, jail) => make({ id: 'acp', protocol: 'acp', command, env }, jail),
    async call(agent, prompt, more = {}, signal = new AbortController().signal) {
      lanes += 1;
      const laneDirectory = path.join(root, 'lanes', `${lanes}-${agent.id}`);
      mkdirSync(laneDirectory, { recursive: true });
      const events: AgentEvent[] = [];
      const task: AgentTask = {
        task: 'sketch',
        run: 'run',
        seat: agent.id,
        attempt: 1,
        prompt,
        directory: project,
        access: 'read',
        limits,
        laneDirectory,
        ...more,
      };
      const result = await agent.call(task, { signal, onEvent: (event) => events.push(event) });
      return { result, events, laneDirectory };
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function worldOf(home: string, jail: World['jail']): World {
  return {
    environment: { PATH: `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`, LANG: 'C.UTF-8' },
    home,
    platform: process.platform,
    architecture: process.arch,
    jail,
  };
}
