import type { Agent, AgentTask, CallContext, LaneKind, LaneResult } from '../agents/port.ts';
import { toCharretteError } from '../errors.ts';
import { pathLookup } from '../plan/grounding-path.ts';
import { readFolderSnapshot } from './folder-snapshot.ts';
import { readSnapshot } from './git-snapshot.ts';
import { indexRepository, type RepositoryIndex } from './repository-index.ts';
import { answerText } from './static/answer-text.ts';
import { type Answer, answerContext, answers } from './static/answers.ts';
import { fillSchema } from './static/fill-schema.ts';
import { readTaskInput } from './static/task-input.ts';
import { ruleBasedMark } from './static/wording.ts';

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
  const indexes = indexCache();
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
        const answer = await answerTask(task, context, indexes, lookup);
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

type IndexCache = (
  directory: string,
  commit: string | undefined,
  signal: AbortSignal,
) => Promise<RepositoryIndex>;

async function answerTask(
  task: AgentTask,
  context: CallContext,
  indexes: IndexCache,
  lookup: ReturnType<typeof pathLookup>,
): Promise<Answer> {
  const input = readTaskInput(task.input, task.prompt);
  const index = await indexes(task.directory, input.baseCommit, context.signal);
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

const keptIndexes = 2;

/** Indexes by directory and commit. Lanes of one run ask at the same time and share one reading. */
function indexCache(): IndexCache {
  const kept = new Map<string, Promise<RepositoryIndex>>();
  return (directory, commit, signal) => {
    const key = commit === undefined ? undefined : `${directory}\0${commit}`;
    const known = key === undefined ? undefined : kept.get(key);
    if (known !== undefined) return known;
    if (key === undefined) return readIndex(directory, commit, signal);
    // Shared readings belong to no single lane: cancelling one must not end those of the others.
    const reading = readIndex(directory, commit, undefined);
    for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - keptIndexes + 1)))
      kept.delete(oldest);
    kept.set(key, reading);
    reading.catch(() => kept.delete(key));
    return reading;
  };
}

async function readIndex(
  directory: string,
  commit: string | undefined,
  signal: AbortSignal | undefined,
): Promise<RepositoryIndex> {
  try {
    return indexRepository(
      await readSnapshot(directory, commit ?? 'HEAD', signal === undefined ? {} : { signal }),
    );
  } catch (error) {
    if (commit !== undefined || toCharretteError(error).code !== 'not-a-repository') throw error;
    return indexRepository(await readFolderSnapshot(directory));
  }
}
