/** Experimental: agents for programs of your own. */

import { exec } from './drivers/driver.ts';
import type { Agent, AgentTask, Capabilities, LaneResult } from './port.ts';
import { unknownUsage } from './port.ts';
import { createProcessAgent } from './process-agent.ts';
import { thisWorld } from './settings.ts';

export { failurePolicies } from './failure-kinds.ts';
export type {
  Access,
  Agent,
  AgentEvent,
  AgentTask,
  CallContext,
  Capabilities,
  JsonSchema,
  LaneKind,
  LaneResult,
  Probe,
  TaskLimits,
  Usage,
} from './port.ts';
export { createAgent, detectAgents } from './registry.ts';
export { type AgentSettings, thisWorld, type World } from './settings.ts';
export { unknownUsage };

/** A program as an agent: the prompt comes on its standard input, its standard output is the answer. */
export function execAgent(
  id: string,
  command: readonly string[],
  { family = id, env = {} }: { family?: string; env?: Readonly<Record<string, string>> } = {},
): Agent {
  return createProcessAgent(exec, { id, protocol: 'exec', command, family, env }, thisWorld());
}

const capabilities: Capabilities = {
  write: false,
  schema: true,
  resume: false,
  fork: false,
  usage: false,
  trust: 'terminal-event',
};

/** An agent for tests: a function answers each task with a text or a value; `undefined` or an error is a failed call. */
export function scriptedAgent(
  id: string,
  answer: (task: AgentTask) => unknown,
  { family = id }: { family?: string } = {},
): Agent {
  return {
    id,
    family,
    title: id,
    capabilities,
    probe: async () => ({ healthy: true }),
    async call(task): Promise<LaneResult> {
      const common = { usage: unknownUsage, toolCalls: 0, durationMs: 0 };
      const failed = (message: string) => ({ ...common, kind: 'crash' as const, text: '', message });
      try {
        const value = await answer(task);
        if (value === undefined) return failed(`${id} has no answer to ${task.task}.`);
        if (typeof value === 'string') return { ...common, kind: 'ok', text: value };
        return { ...common, kind: 'ok', text: JSON.stringify(value), value };
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error));
      }
    },
  };
}
