import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { visibleText } from '../../../base/text/untrusted.ts';
import { openQuestions } from '../../../engine/answers.ts';
import type { RunEvent } from '../../../engine/event.ts';
import { followEvents } from '../../../engine/follow.ts';
import type { Question } from '../../../engine/question.ts';
import type { RunDirectory } from '../../../engine/run-directory.ts';
import { readRunRecord } from '../../../engine/run-record.ts';
import { linesOf } from '../../cli/event-lines.ts';
import { findHome, findRun } from '../../cli/project.ts';
import { answerRun, type RunAnswer } from '../answer-run.ts';
import type { AskPerson } from '../ask-person.ts';
import { isSettled, runStateOf, runStateShape } from '../run-state.ts';
import { type Call, defineTool } from '../tool.ts';
import { runInput } from './runs.ts';

const pollMs = 250;

export const runWait = defineTool({
  name: 'run_wait',
  title: 'Wait for a run',
  description:
    'Follows a run until it ends, pauses, or the time is over; sends progress when the client asks for it. Where the ' +
    'client can show forms, open questions are put to the person and the run goes on. Call it again with `after` to go on.',
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
  // Answers that the person gives on the way change the run.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async call({ run, after, seconds }, call) {
    const { context, ask } = call;
    const directory = await findRun(findHome(context.cwd), run);
    let seen: Seen = { seq: after, lines: [] };
    for (;;) {
      seen = await follow(directory, seen, seconds, call);
      const state = await runStateOf(directory);
      const answers = ask === undefined ? undefined : await askAll(state.questions, ask);
      if (answers === undefined) {
        const settled = isSettled(await readRunRecord(directory), directory, state.questions.length);
        return { ...state, settled, ...seen };
      }
      await answerRun(directory, answers, call);
    }
  },
});

type Seen = { seq: number; lines: string[] };

/** Follows the run until it settles or the time is over. A run that cannot be read ends both the watching and the reading. */
async function follow(directory: RunDirectory, before: Seen, seconds: number, call: Call): Promise<Seen> {
  const settling = new AbortController();
  const stop = AbortSignal.any([
    call.signal,
    settling.signal,
    AbortSignal.timeout(Math.ceil(seconds * 1000)),
  ]);
  const [seen] = await Promise.all([
    readNews(directory, before, stop, call.progress).finally(() => settling.abort()),
    untilSettled(directory, stop).finally(() => settling.abort()),
  ]);
  return seen;
}

async function readNews(
  directory: RunDirectory,
  before: Seen,
  signal: AbortSignal,
  progress: Call['progress'],
): Promise<Seen> {
  let seen = before;
  for await (const event of followEvents(directory.events, { signal })) {
    if (event.seq <= before.seq) continue;
    const said = describe(event);
    seen = { seq: event.seq, lines: [...seen.lines, ...said].slice(-20) };
    if (said.length > 0) await progress(seen.seq, said.join(' · '));
  }
  return seen;
}

/** The person's answers; nothing when there is nothing to ask or one of them was refused. */
async function askAll(questions: readonly Question[], ask: AskPerson): Promise<RunAnswer[] | undefined> {
  const answers: RunAnswer[] = [];
  for (const question of questions) {
    const value = await ask(question);
    if (value === undefined) return undefined;
    answers.push({ question: question.id, value });
  }
  return answers.length === 0 ? undefined : answers;
}

/** Until nothing more will come; the last events get a moment to be read. */
async function untilSettled(directory: RunDirectory, stop: AbortSignal): Promise<void> {
  for (let settled = false; !settled && !stop.aborted; ) {
    settled = isSettled(await readRunRecord(directory), directory, openQuestions(directory).length);
    await sleep(pollMs, undefined, { signal: stop }).catch(() => {});
  }
}

function describe(event: RunEvent): string[] {
  return linesOf(event, { verbose: true })
    .map((line) => visibleText(line).trim().slice(0, 200))
    .filter((line) => line !== '');
}
