import type { Agent, AgentTask, LaneKind, LaneResult } from '../../agents/port.ts';
import { toCharretteError } from '../../base/errors.ts';
import { isRecord } from '../../base/safe-json.ts';
import type { CodeReview } from '../../base/schema/judgements/lite.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { Complexity } from '../../base/schema/lite/plan.ts';
import { openIndex, type RepositoryIndex } from '../../repo/index/repository-index.ts';
import { briefAsPlan } from './brief.ts';
import { drawPlan } from './diagram.ts';
import { explorationFor, exploreFor, litePlanFor } from './explore.ts';
import { smallestAnswer } from './smallest-answer.ts';
import { type Study, studyRequest } from './study.ts';
import { headed, ruleBasedMark } from './wording.ts';

/**
 * The structured input of a task, next to its prompt (`AgentTask.input`). Every task gives `feature`; the rest as far as the
 * task has it. Agents that live in this process work from this alone.
 */
type TaskInput = {
  /** The description of the feature. */
  feature: string;
  /** What was clarified and settled about it; searched too. */
  commission?: { clarifications?: string; discussion?: string };
  /** The commit the run was started at; default: HEAD. */
  baseCommit?: string;
  /** diagram */
  plan?: Plan;
  /** code-review: what must be answered, as `TASK-001#1`. */
  criteria?: readonly { id: string }[];
  /** explore, when it is one of several looks. */
  angle?: string;
  /** lite-plan */
  complexity?: Complexity;
} & Readonly<Record<string, unknown>>;

export type StaticAgentSettings = {
  /** The name in the configuration. */
  id?: string;
  /** Milliseconds, for durations only. */
  now?: () => number;
};

/** The scout, an agent without a model: it searches the repository and reports what it found, at no cost. */
export function createStaticAgent({ id = 'static', now = Date.now }: StaticAgentSettings = {}): Agent {
  return {
    id,
    family: 'static',
    title: 'Static (no model)',
    capabilities: {
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
        const answer = await answerTask(task);
        if (context.signal.aborted) return finish('cancelled', { message: 'The call was cancelled.' });
        if ('problem' in answer) return finish('bad_output', { message: answer.problem });
        if (typeof answer.value === 'string') return finish('ok', { text: answer.value });
        return finish('ok', { text: JSON.stringify(answer.value, null, 2), value: answer.value });
      } catch (error) {
        if (context.signal.aborted) return finish('cancelled', { message: 'The call was cancelled.' });
        return finish('crash', { message: toCharretteError(error).message });
      }
    },
    probe: async () => ({ healthy: true, message: ruleBasedMark }),
  };
}

type Answer = { value: unknown } | { problem: string };

type Context = { index: RepositoryIndex; input: TaskInput; study: () => Study };

const needs = (what: string): Answer => ({ problem: `The task needs "${what}" in its structured input.` });

/** How the scout answers each task. It has no answer to what needs a judgement: sketches, debates, verdicts, votes. */
const answers: Readonly<Record<string, (context: Context) => Answer>> = {
  explore: ({ study, input }) => ({
    value: input.angle === undefined ? exploreFor(study()) : explorationFor(study()),
  }),
  'lite-plan': ({ study, input }) => ({ value: litePlanFor(study(), input.complexity ?? 'Medium') }),
  'code-review': ({ input }) => ({ value: reviewCode(input.criteria ?? []) }),
  questions: () => ({ value: { questions: [] } }),
  'discussion-1': () => ({ value: { points: [] } }),
  'discussion-2': () => ({ value: { points: [] } }),
  plan: ({ study }) => ({ value: briefAsPlan(study(), { alone: true }) }),
  evidence: ({ study }) => ({ value: briefAsPlan(study(), { alone: false }) }),
  workflow: ({ input }) => ({ value: smallestAnswer(input['schema']) }),
  diagram: ({ index, input }) =>
    input.plan === undefined ? needs('plan') : { value: drawPlan(index, input.plan) },
};

async function answerTask(task: AgentTask): Promise<Answer> {
  const input = readTaskInput(task.input, task.prompt);
  const rule = answers[task.task];
  if (rule === undefined)
    return { problem: `The static agent has no model and cannot do the task ${task.task}.` };
  const index = await openIndex(task.directory, input.baseCommit);
  let made: Study | undefined;
  const study = () => {
    made ??= studyRequest(index, describe(input));
    return made;
  };
  return rule({ index, input, study });
}

const longestPromptPart = 2000;

/** The input of a call, whatever was passed; a description is always there. */
function readTaskInput(input: unknown, prompt: string): TaskInput {
  const given: Record<string, unknown> = isRecord(input) ? input : {};
  const described = typeof given.feature === 'string' && given.feature.trim() !== '';
  const feature = described ? given.feature : prompt.slice(-longestPromptPart);
  return { ...given, feature } as TaskInput;
}

/** Everything that describes the feature, its own words first. */
function describe({ feature, commission }: TaskInput): string {
  return [feature, commission?.clarifications, commission?.discussion].filter(Boolean).join('\n\n');
}

/** Rules cannot see whether a criterion is met: every one is answered, none is called met. */
function reviewCode(criteria: readonly { id: string }[]): CodeReview {
  return {
    summary: headed('The static agent cannot judge code; every criterion is left open.'),
    findings: [],
    criteria: criteria.flatMap(({ id }) => {
      const [, task, number] = /^((?:TASK|FIX)-\d{3})#(\d{1,2})$/.exec(id) ?? [];
      return task === undefined
        ? []
        : [{ task_id: task, number: Number(number), met: false, evidence: null }];
    }),
  };
}
