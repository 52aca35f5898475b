import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { linesOf } from '../../cli/event-lines.ts';
import { findHome, findRun } from '../../cli/project.ts';
import { withoutControls } from '../../cli/reporter.ts';
import type { RunEvent } from '../../engine/event.ts';
import { followEvents } from '../../engine/follow.ts';
import { readQuestions, unanswered } from '../../engine/question.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import { isSettled, runStateOf, runStateShape } from '../run-state.ts';
import { defineTool, readsOnly } from '../tool.ts';
import { runInput } from './runs.ts';

const pollMs = 250;

export const runWait = defineTool({
  name: 'run_wait',
  title: 'Wait for a run',
  description:
    'Follows a run until it ends, pauses, or the time is over; sends progress when the client asks for it. Call it again ' +
    'with `after` to go on.',
  input: z.object({
    run: runInput,
    after: z.int().nonnegative().default(0).describe('`seq` of the last answer: earlier events are skipped.'),
    seconds: z.number().positive().max(600).default(45).describe('How long to wait at most.'),
  }),
  output: z.object({
    ...runStateShape,
    settled: z.boolean().describe('false: the time was over while the run goes on.'),
    seq: z.int().describe('Number of the last event seen.'),
    lines: z.array(z.string()).describe('What happened last, at most 20 lines.'),
  }),
  annotations: readsOnly,
  async call({ run, after, seconds }, { context, signal, progress }) {
    const directory = await findRun(findHome(context.cwd), run);
    const settling = new AbortController();
    const stop = AbortSignal.any([signal, settling.signal, AbortSignal.timeout(seconds * 1000)]);
    const watching = watchRecord(directory, settling, stop);
    let seq = after;
    let lines: string[] = [];
    for await (const event of followEvents(directory.events, { signal: stop })) {
      if (event.seq <= after) continue;
      seq = event.seq;
      const said = describe(event);
      lines = [...lines, ...said].slice(-20);
      if (said.length > 0) await progress(seq, said.join(' · '));
    }
    settling.abort();
    await watching;
    const record = await readRunRecord(directory);
    const state = await runStateOf(directory);
    return { ...state, settled: isSettled(record, state.questions.length), seq, lines };
  },
});

/** Ends the following once nothing more will come; the last events get a moment to be read. */
async function watchRecord(
  directory: RunDirectory,
  settling: AbortController,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const settled = isSettled(await readRunRecord(directory), unanswered(readQuestions(directory)).length);
    await sleep(pollMs, undefined, { signal: stop }).catch(() => {});
    if (settled) settling.abort();
  }
}

function describe(event: RunEvent): string[] {
  return linesOf(event, { verbose: true })
    .map((line) => withoutControls(line).trim().slice(0, 200))
    .filter((line) => line !== '');
}
