import { loadConfig } from '../../base/config/config.ts';
import { CharretteError } from '../../base/errors.ts';
import type { Queue } from '../../engine/queue/queue.ts';
import type { Invocation } from './command.ts';

/** The address of the shared store; without one there is no queue. */
export async function sharedUrl(
  project: string,
  { global, terminal }: Pick<Invocation, 'global' | 'terminal'>,
): Promise<string> {
  const { config } = await loadConfig({ project, env: terminal.env, file: global.config });
  if (typeof config.store === 'object') return config.store.url;
  throw new CharretteError({
    code: 'usage',
    message: 'There is no shared store: the queue and its workers need a PostgreSQL server.',
    fix: 'Set CHARRETTE_DATABASE_URL=postgresql://… or `store: {"url": "postgresql://…"}` in the configuration.',
  });
}

/** Opens the queue of the shared store for as long as the body runs. */
export async function withQueue<Result>(
  project: string,
  invocation: Pick<Invocation, 'global' | 'terminal'>,
  body: (queue: Queue) => Promise<Result>,
): Promise<Result> {
  const url = await sharedUrl(project, invocation);
  const { openQueue } = await import('../../engine/queue/queue.ts');
  const queue = await openQueue(url);
  try {
    return await body(queue);
  } finally {
    await queue.close();
  }
}
