// Design runs with scripted agents inside the measuring process: what is left to measure is the work of Charrette itself.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeExampleRepository } from '../scripts/example-repository.mjs';
import type { Agent, AgentTask, LaneResult } from '../src/agents/port.ts';
import { type CallServices, Semaphore } from '../src/council/call/once.ts';
import { randomIds, systemClock } from '../src/engine/clock.ts';
import { type Engine, openEngine } from '../src/engine/engine.ts';
import { type Home, homeOf } from '../src/engine/run-directory.ts';
import type { StoreSetting } from '../src/engine/store.ts';
import { codeVersion, createRun } from '../src/workflows/create-run.ts';
import { design } from '../src/workflows/design/design.ts';
import type { DesignInputs } from '../src/workflows/design/desk.ts';
import { panelAnswer } from '../test/agents/panel-answers.mjs';

const program = path.resolve(import.meta.dirname, '..', 'bin', 'charrette');

/** The example repository with two agents that are never started, and what a design run in it is asked to do. */
export function makePanelProject(folder: string, flags: readonly string[] = []): DesignInputs {
  makeExampleRepository(folder);
  const agents = ['one', 'two'].map((name) => [name, { protocol: 'exec', command: ['true'], family: name }]);
  writeFileSync(
    path.join(folder, 'charrette.config.json'),
    JSON.stringify({ detect: false, agents: Object.fromEntries(agents) }),
  );
  const words = ['design', '--dry-run', '--json', '--yes', '--no-branch', '--auto', ...flags];
  const dry = execFileSync(process.execPath, [program, ...words, 'add rate limiting'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return JSON.parse(dry).inputs as DesignInputs;
}

export type PanelOptions = {
  project: string;
  inputs: DesignInputs;
  store: StoreSetting;
  /** Calls at the same time. */
  parallel?: number;
  latencyMs?: number;
  onCall?: (task: AgentTask) => void;
  /** Default: the answers of the tests' panel. */
  answer?: (task: AgentTask) => unknown;
  /** Who is asked in place of the scripted agent. */
  instead?: (task: AgentTask) => Agent | undefined;
  keepJournalsMs?: number;
};

export type Panel = {
  engine: Engine;
  home: Home;
  /** Makes a run; it does not start. */
  make: (title: string, change?: Partial<DesignInputs>) => Promise<string>;
};

/** An engine in this process on which design runs can be started. */
export async function openPanel(options: PanelOptions): Promise<Panel> {
  const { project, inputs, store } = options;
  const services: CallServices = {
    agents: new Map(inputs.roster.map(({ id }) => [id, scriptedAgent(id, options)])),
    slots: new Semaphore(options.parallel ?? 8),
    project,
    overrides: {},
    earlierLanes: undefined,
    nonceSeed: 'bench',
  };
  const home = homeOf(project);
  const opening = await openEngine({
    home,
    store,
    codeVersion,
    workflows: [
      {
        name: 'design',
        run: (context, inputs) => design(context, services, inputs as DesignInputs),
      },
    ],
    ...(options.keepJournalsMs === undefined ? {} : { keepJournalsMs: options.keepJournalsMs }),
  });
  if (!opening.opened) throw new Error('the store is held by another process');
  return {
    engine: opening.engine,
    home,
    make: (title, change) =>
      createRun(
        home,
        { workflow: 'design', title, inputs: { ...inputs, ...change } },
        { clock: systemClock, ids: randomIds },
      ),
  };
}

/** Answers inside this process, at once or after a fixed time. */
export function scriptedAgent(
  id: string,
  options: Pick<PanelOptions, 'latencyMs' | 'onCall' | 'answer' | 'instead'> = {},
): Agent {
  const { latencyMs = 0, onCall, answer, instead } = options;
  return {
    id,
    family: id,
    title: id,
    capabilities: {
      write: false,
      schema: true,
      resume: false,
      fork: false,
      usage: false,
      trust: 'terminal-event',
    },
    async call(task, context): Promise<LaneResult> {
      onCall?.(task);
      const other = instead?.(task);
      if (other !== undefined) return other.call(task, context);
      const { signal } = context;
      if (latencyMs > 0) await sleep(latencyMs, undefined, { signal });
      const value = answer?.(task) ?? panelAnswer(task.task, task.prompt, task.seat);
      const usage = { basis: 'unknown', inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 } as const;
      return { kind: 'ok', text: JSON.stringify(value), value, usage, toolCalls: 0, durationMs: 0 };
    },
    probe: async () => ({ healthy: true }),
  };
}
