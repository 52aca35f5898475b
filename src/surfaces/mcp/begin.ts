import { setTimeout as sleep } from 'node:timers/promises';
import type { RunEvent } from '../../engine/event.ts';
import { readEvents } from '../../engine/event-log.ts';
import { runDirectoryOf } from '../../engine/run-directory.ts';
import { findHome } from '../cli/project.ts';
import { launchRun } from './launch.ts';
import { type RunState, runStateOf } from './run-state.ts';
import type { ServerContext } from './tool.ts';

const firstSignMs = 10_000;
const pauseMs = 15_000;

const signs: readonly RunEvent['type'][] = ['lane-queue', 'question-ask', 'run-pause', 'run-end'];

/**
 * Starts a run command and answers as soon as the run shows where it goes: agents are at work, or it paused with a
 * question. `seen` is how many events an earlier part of the run has left.
 */
export async function beginRun(
  words: readonly string[],
  context: ServerContext,
  seen = 0,
): Promise<RunState> {
  const { run, ended } = await launchRun(words, context);
  const directory = runDirectoryOf(findHome(context.cwd), run);
  let over = false;
  void ended.then(() => {
    over = true;
  });
  const fresh = () => readEvents(directory.events).slice(seen);
  const limit = performance.now() + firstSignMs;
  while (!over && performance.now() < limit && !fresh().some(({ type }) => signs.includes(type)))
    await sleep(50);
  // A question without a person at hand ends the process; before that the record is on its way.
  const last = fresh().findLast(({ type }) => signs.includes(type))?.type;
  const pausing = last === 'question-ask' || last === 'run-pause';
  if (pausing && !over) await Promise.race([ended, sleep(pauseMs, undefined, { ref: false })]);
  return runStateOf(directory);
}
