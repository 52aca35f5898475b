import type { Agent, AgentTask, LaneKind, LaneResult } from '../../agents/port.ts';
import { toCharretteError } from '../../base/errors.ts';
import type { CommandLookup } from '../../plan/grounding/commands.ts';
import { pathLookup } from '../../plan/grounding/subject.ts';
import { openIndex } from '../../repo/index/open-index.ts';
import { answerText } from './answer-text.ts';
import { type Answer, answerContext, answers } from './answers.ts';
import { fillSchema } from './fill-schema.ts';
import { readTaskInput } from './task-input.ts';
import { ruleBasedMark } from './wording.ts';

export type StaticAgentSettings = {
  /** The name in the configuration. */
  id?: string;
  /** Milliseconds, for durations only. */
  now?: () => number;
  env?: NodeJS.ProcessEnv;
};

/** The agent without a model: it reads the repository and answers every task by rule, at no cost. */
export function createStaticAgent({
  id = 'static',
  now = Date.now,
  env = process.env,
}: StaticAgentSettings = {}): Agent {
  const lookup = pathLookup(env);
  return {
    id,
    family: 'static',
    title: 'Static (no model)',
    capabilities: {
      readOnly: 'enforced',
      write: false,
      schema: true,
      resume: false,
      fork: false,
      usage: true,
      trust: 'terminal-event',
    },
    async call(task, context) {
      const started = now();
      const finish = (kind: LaneKind, part: Partial<LaneResult>): LaneResult => ({
        kind,
        text: '',
        model: ruleBasedMark,
        usage: { basis: 'measured', inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, usd: 0 },
        toolCalls: 0,
        durationMs: now() - started,
        ...part,
      });
      if (task.access === 'write') {
        return finish('denied', { message: 'The static agent changes no files.' });
      }
      try {
        const answer = await answerTask(task, lookup);
        if (context.signal.aborted) return finish('cancelled', { message: 'The call was cancelled.' });
        if ('problem' in answer) return finish('bad_output', { message: answer.problem });
        if (task.schema === undefined) return finish('ok', { text: answerText(answer.value) });
        return finish('ok', { text: JSON.stringify(answer.value, null, 2), value: answer.value });
      } catch (error) {
        if (context.signal.aborted) return finish('cancelled', { message: 'The call was cancelled.' });
        return finish('crash', { message: toCharretteError(error).message });
      }
    },
    probe: async () => ({ healthy: true, message: ruleBasedMark }),
  };
}

async function answerTask(task: AgentTask, lookup: CommandLookup): Promise<Answer> {
  const input = readTaskInput(task.input, task.prompt);
  const index = await openIndex(task.directory, input.baseCommit);
  const prepared = answerContext(index, input, task.seat, lookup);
  const rule = answers[task.task];
  if (rule !== undefined) return rule(prepared);
  return { value: fillSchema(task.schema ?? exploreLike, prepared.study()) };
}

/** A task nobody wrote a rule for, and without a schema, is answered with what a look around brings. */
const exploreLike = {
  type: 'object',
  properties: {
    summary: { type: 'string' },
    files: { type: 'array', items: { type: 'string' } },
    tests: { type: 'array', items: { type: 'string' } },
  },
};
