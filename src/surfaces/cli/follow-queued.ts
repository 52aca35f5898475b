import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../base/config/config.ts';
import { toCharretteError } from '../../base/errors.ts';
import type { Home } from '../../engine/run-directory.ts';
import type { Invocation } from './command.ts';
import { lookAt } from './queue-facts.ts';
import { withQueue } from './shared-queue.ts';
import { tell } from './tell.ts';

const intervalMs = 400;
const againMs = 1000;

/**
 * Keeps the copy of a run that goes on elsewhere up to date, and says once why a run waits, until the signal ends it. A store that
 * does not answer is named once and asked again.
 */
export async function followQueued(
  home: Home,
  run: string,
  caller: Pick<Invocation, 'global' | 'terminal'>,
  signal: AbortSignal,
): Promise<void> {
  const { global, terminal } = caller;
  const { config } = await loadConfig({ project: home.project, env: terminal.env, file: global.config });
  if (typeof config.store !== 'object') return;
  let said: string | undefined;
  const say = (text: string | undefined) => {
    if (text !== undefined && text !== said && !global.quiet) tell(terminal, text);
    said = text;
  };
  let seen: ReadonlyMap<string, number> = new Map();
  while (!signal.aborted) {
    try {
      await withQueue(home.project, caller, async (queue) => {
        while (!signal.aborted) {
          const look = await lookAt(queue, home, [run], config.queue?.heartbeatTimeoutSeconds ?? 15, seen);
          seen = look.seen;
          const waits = look.facts.get(run)?.waits;
          say(waits === undefined ? undefined : `waits: ${waits}`);
          await sleep(intervalMs, undefined, { signal }).catch(() => {});
        }
      });
    } catch (error) {
      if (!signal.aborted) say(toCharretteError(error).message);
      await sleep(againMs, undefined, { signal }).catch(() => {});
    }
  }
}
