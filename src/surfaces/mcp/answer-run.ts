import { readEvents } from '../../engine/event-log.ts';
import { isLive } from '../../engine/liveness.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import { handOver } from '../cli/hand-over.ts';
import { findHome } from '../cli/project.ts';
import { refreshQueued } from '../cli/queue-facts.ts';
import { beginRun } from './begin.ts';
import { invocationOf } from './call-command.ts';
import { type RunState, runStateOf } from './run-state.ts';
import type { Call } from './tool.ts';

export type RunAnswer = { question: string; value: string };

/** Answers questions as `charrette answer` does; a paused run continues in a separate process. */
export async function answerRun(
  directory: RunDirectory,
  given: readonly RunAnswer[],
  call: Pick<Call, 'context' | 'signal'>,
  wantsResume = true,
): Promise<RunState> {
  const home = findHome(call.context.cwd);
  const invocation = invocationOf(call);
  await refreshQueued(home, invocation, [directory.id]);
  const answers = given.map(({ question, value }) => ({ question, value, source: 'person' as const }));
  const { resume } = await handOver(home, directory, answers, wantsResume, invocation);
  const record = await readRunRecord(directory);
  const idle = record.queue === undefined && !isLive(record, directory);
  return resume && idle ? goOn(directory, call) : runStateOf(directory);
}

/** Goes on with a run, and tells what it shows after what it has shown before. */
export function goOn(directory: RunDirectory, { context }: Pick<Call, 'context'>): Promise<RunState> {
  return beginRun(['resume', directory.id], context, readEvents(directory.events).length);
}
