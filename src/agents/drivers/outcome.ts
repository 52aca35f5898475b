import { formatElapsed, untrustedText } from '../../base/text/strings.ts';
import { extractAnswer } from '../extract-json.ts';
import { classifyFailure, retryAfterIn } from '../failure-kinds.ts';
import type { JsonSchema, LaneKind, LaneResult, Usage } from '../port.ts';
import type { EndReason } from '../process/process-tree.ts';
import { refineLimit } from '../quota.ts';
import type { ProcessExit } from '../run-process.ts';
import { type Reading, subtractUsage } from './reading.ts';

export type FinishContext = {
  schema?: JsonSchema;
  /** The conversation's total before this run, for agents that report totals. */
  earlierUsage?: Usage;
  resumed: boolean;
  /** Default: the time of the machine. */
  now?: number;
  /** What the call was held to, for the words of one that passed it. */
  limits?: { wallMs: number; idleMs: number };
};

type Verdict = { kind: LaneKind; message?: string };

/**
 * The result of a run. Success is a terminal success event, no error event, an answer that is not empty and, when JSON
 * was asked for, JSON in it. The exit code is a hint only: several agents end with 0 on every error.
 */
export function finishReading(reading: Reading, exit: ProcessExit, context: FinishContext): LaneResult {
  const endedWell = reading.succeeded && reading.failure === undefined;
  const value =
    context.schema === undefined || !endedWell
      ? undefined
      : (reading.value ?? extractAnswer(reading.text, context.schema));
  const verdict = judge(reading, exit, context, value);
  const message = verdict.message?.slice(0, 2000);
  const retryAfterMs = message === undefined ? undefined : retryAfterIn(message);
  const { kind, resetsAt } = refineLimit(
    verdict.kind,
    message ?? '',
    reading.limit,
    context.now ?? Date.now(),
  );
  const limit = resetsAt === undefined ? reading.limit : { ...reading.limit, resetsAt };
  return {
    kind,
    text: textOf(reading, endedWell, kind),
    ...(limit === undefined ? {} : { limit }),
    ...(value === undefined ? {} : { value }),
    ...(message === undefined ? {} : { message }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(exit.code === undefined ? {} : { exitCode: exit.code }),
    ...(exit.signal === undefined ? {} : { signal: exit.signal }),
    ...(reading.session === undefined ? {} : { session: reading.session }),
    ...(reading.model === undefined ? {} : { model: reading.model }),
    usage: usageOfRun(reading, context),
    toolCalls: reading.toolCalls,
    durationMs: exit.durationMs,
  };
}

/**
 * After a good end the answer is whole, even if empty; earlier text was on the way there. Of a failure the last
 * words are kept for people, but for `bad_output`, whose text is an answer of the wrong form.
 */
function textOf(reading: Reading, endedWell: boolean, kind: LaneKind): string {
  if (endedWell) return reading.text;
  if (kind === 'bad_output') return '';
  const words = reading.text.trim() === '' ? reading.lastText : reading.text;
  return words.slice(-keptOfFailure);
}

/** What is kept of a failed call's words; a flood is not worth more in the journal. */
const keptOfFailure = 100_000;

function judge(reading: Reading, exit: ProcessExit, context: FinishContext, value: unknown): Verdict {
  if (exit.startError !== undefined) return { kind: 'unhealthy', message: exit.startError };
  if (exit.ended === 'cancelled') return { kind: 'cancelled', message: endings.cancelled };
  if (reading.failure !== undefined) {
    const { message, kind, status } = reading.failure;
    const own = kind ?? classifyFailure(message, status);
    // An agent that we ended while it was still retrying did not get to its own verdict.
    if (exit.ended !== undefined && exit.ended !== 'driver' && reading.failure.passing) {
      const ending = endingOf(exit.ended, exit, context);
      return { kind: endedKinds[exit.ended], message: `${ending} Last error: ${message}` };
    }
    return { kind: own, message };
  }
  if (exit.ended !== undefined && !(reading.succeeded && exit.ended !== 'output')) {
    return { kind: endedKinds[exit.ended], message: endingOf(exit.ended, exit, context) };
  }
  if (!reading.succeeded) return withoutEnd(reading, exit);
  if (reading.text.trim() === '' && value === undefined) {
    return { kind: 'bad_output', message: 'The agent ended well but its answer is empty.' };
  }
  if (context.schema !== undefined && value === undefined) {
    return { kind: 'bad_output', message: 'A JSON answer was asked for; there is none in the answer.' };
  }
  return { kind: 'ok' };
}

const endedKinds: Readonly<Record<EndReason, LaneKind>> = {
  wall: 'timeout',
  idle: 'timeout',
  output: 'limit',
  cancelled: 'cancelled',
  driver: 'stream',
};

const endings: Readonly<Record<EndReason, string>> = {
  wall: 'The time limit of the call passed.',
  idle: 'The agent sent nothing for longer than the idle limit.',
  output: 'The agent wrote more than the output limit.',
  cancelled: 'The call was cancelled.',
  driver: 'The agent was stopped because its stream could not lead to an answer.',
};

/** L-375: which limit passed, and when. */
function endingOf(reason: EndReason, { durationMs }: ProcessExit, { limits }: FinishContext): string {
  if (limits === undefined || (reason !== 'wall' && reason !== 'idle')) return endings[reason];
  const limit = formatElapsed(reason === 'wall' ? limits.wallMs : limits.idleMs);
  const after = `(limit ${limit}, ended at ${formatElapsed(durationMs)}).`;
  return endings[reason].replace(/\.$/, ` ${after}`);
}

/** The program left without saying how it went. Its last words on stderr may tell. */
function withoutEnd(reading: Reading, exit: ProcessExit): Verdict {
  const how = exit.signal === undefined ? `exit code ${exit.code ?? 'unknown'}` : `signal ${exit.signal}`;
  // What was read as an answer speaks of the work, not of the failure.
  const words = lastWords(exit.stderr) || (reading.lastText === '' ? lastWords(exit.stdout) : '');
  const kind = words === '' ? 'crash' : classifyFailure(words);
  return {
    kind,
    message: `The agent ended with ${how} and no result.${words === '' ? '' : ` It said: ${words}`}`,
  };
}

/** The end of a stream in plain words: no stack traces, no events, no colours. */
function lastWords(text: string): string {
  return untrustedText(text)
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at |^\s*[{}]/.test(line))
    .slice(-8)
    .join('\n');
}

function usageOfRun(reading: Reading, context: FinishContext): Usage {
  if (reading.usageScope === 'run' || reading.usage.basis === 'unknown' || !context.resumed)
    return reading.usage;
  // A total without what came before it says too much for this run.
  if (context.earlierUsage === undefined) return { ...reading.usage, basis: 'estimated' };
  return subtractUsage(reading.usage, context.earlierUsage);
}
