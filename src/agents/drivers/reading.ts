import { isRecord, readJson } from '../../base/safe-json.ts';
import { formatElapsed, untrustedText } from '../../base/text/strings.ts';
import { extractAnswer } from '../extract-json.ts';
import { classifyFailure, retryAfterIn } from '../failure-kinds.ts';
import {
  type AgentEvent,
  type JsonSchema,
  type LaneKind,
  type LaneResult,
  type Usage,
  unknownUsage,
} from '../port.ts';
import type { EndReason } from '../process/process-tree.ts';
import { type LimitNote, refineLimit } from '../quota.ts';
import type { ProcessExit } from '../run-process.ts';
import type { Signal } from './driver.ts';

/** Careful looks into the agents' output: every field may be missing or of another type. */

export type Fields = Record<string, unknown>;

/** The JSON object on a line; banners, warnings and half lines are not one. */
export function objectOn(line: string): Fields | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  const reading = readJson(line);
  return reading.ok && isRecord(reading.value) ? reading.value : undefined;
}

export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}

export function optionalNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** What a tool was asked, short enough for a progress line. */
export function detailOf(input: unknown): string | undefined {
  const fields = fieldsOf(input);
  const telling = ['file_path', 'filePath', 'target_file', 'path', 'command', 'pattern', 'query'];
  const found = telling.map((name) => optionalText(fields[name])).find((text) => text !== undefined);
  return found?.slice(0, 200);
}

/** Counts as measured usage; nothing but zeros was not measured, and money counts only when there is some. */
export function measured(counts: {
  input: number;
  cached: number;
  output: number;
  reasoning?: number;
  usd?: number;
}): Usage {
  if (counts.input === 0 && counts.output === 0) return unknownUsage;
  return {
    basis: 'measured',
    inputTokens: counts.input,
    cachedInputTokens: counts.cached,
    outputTokens: counts.output,
    ...(counts.reasoning ? { reasoningTokens: counts.reasoning } : {}),
    ...(counts.usd ? { usd: counts.usd } : {}),
  };
}

/** What has been read of a run so far. */
export type Reading = {
  session?: string;
  model?: string;
  /** Text since the last tool: the answer, if nothing follows. */
  text: string;
  /** The last text that was not empty, for people when a run fails. */
  lastText: string;
  succeeded: boolean;
  value?: unknown;
  failure?: { message: string; kind?: LaneKind; status?: number; passing: boolean };
  limit?: LimitNote;
  usage: Usage;
  usageScope: 'run' | 'session';
  toolCalls: number;
  strikes: Readonly<Record<string, number>>;
  /** Nothing good can come any more. */
  hopeless: boolean;
};

export const emptyReading: Reading = {
  text: '',
  lastText: '',
  succeeded: false,
  usage: unknownUsage,
  usageScope: 'run',
  toolCalls: 0,
  strikes: {},
  hopeless: false,
};

/** A longer text is a flood, not an answer. Many lanes hold theirs at the same time. */
const maxAnswerCharacters = 8 * 1024 * 1024;

const tooLong = {
  message: 'The agent wrote more than the output limit.',
  kind: 'limit',
  passing: false,
} as const;

/** The reading after one more signal. */
export function readSignal(reading: Reading, signal: Signal): Reading {
  switch (signal.type) {
    case 'session':
      return { ...reading, session: signal.id || reading.session, model: signal.model ?? reading.model };
    case 'text': {
      const text = signal.whole ? signal.text : reading.text + signal.text;
      if (text.length > maxAnswerCharacters) return { ...reading, failure: tooLong, hopeless: true };
      // Only the new piece is checked: trimming the whole text at every piece would be quadratic.
      const before = !signal.whole && reading.text !== '' && reading.lastText === reading.text;
      const blank = !before && signal.text.trim() === '';
      return { ...reading, text, lastText: blank ? reading.lastText : text };
    }
    // Output after an end means that it has not ended; the rest may break off.
    case 'narration-end':
      return { ...reading, text: '', succeeded: false };
    case 'tool-start':
      return { ...reading, toolCalls: reading.toolCalls + 1, succeeded: false };
    case 'tool-end':
      return { ...reading, text: '' };
    case 'retry':
      return { ...reading, failure: reading.failure?.passing ? undefined : reading.failure };
    case 'failure':
      return { ...reading, failure: strongerFailure(reading.failure, signal) };
    case 'usage':
      return {
        ...reading,
        usage: signal.scope === 'add' ? addUsage(reading.usage, signal.usage) : signal.usage,
        usageScope: signal.scope === 'session' ? 'session' : 'run',
      };
    case 'limit':
      return { ...reading, limit: signal.note };
    case 'success': {
      const text = signal.text ?? reading.text;
      return {
        ...reading,
        text,
        lastText: text.trim() === '' ? reading.lastText : text,
        value: signal.value ?? reading.value,
        succeeded: true,
        failure: reading.failure?.passing ? undefined : reading.failure,
      };
    }
    case 'strike':
      return strike(reading, signal);
    case 'strike-clear':
      return { ...reading, strikes: { ...reading.strikes, [signal.name]: 0 } };
  }
}

/**
 * Joins pieces of text before they are read. Of an answer in millions of short lines a string would otherwise keep each as a
 * separate node, at many times the size of the text.
 */
export class TextPieces {
  #pieces: string[] = [];
  #length = 0;

  /** The signals to read now: text is held back until there is enough of it or something else comes. */
  push(signal: Signal): Signal[] {
    if (signal.type !== 'text' || signal.whole) return [...this.end(), signal];
    this.#pieces.push(signal.text);
    this.#length += signal.text.length;
    return this.#length < 65536 && this.#pieces.length < 65536 ? [] : this.end();
  }

  end(): Signal[] {
    if (this.#pieces.length === 0) return [];
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
    return [{ type: 'text', text }];
  }
}

/** Gives the end of a tool the name that its beginning had; many agents tell it only once. */
export function toolNamer(): (signal: Signal) => Signal {
  const tools = new Map<string, string>();
  return (signal) => {
    if (signal.type === 'tool-start' && signal.call !== undefined) tools.set(signal.call, signal.tool);
    if (signal.type !== 'tool-end' || signal.tool !== undefined) return signal;
    return { ...signal, tool: tools.get(signal.call ?? '') };
  };
}

/** The events of the port for a signal. */
export function eventsOf(signal: Signal): AgentEvent[] {
  switch (signal.type) {
    case 'session':
      return signal.id === '' ? [] : [{ type: 'session-start', session: signal.id, model: signal.model }];
    case 'text':
      return signal.text === '' ? [] : [{ type: 'text-delta', text: signal.text }];
    case 'tool-start':
      return [{ type: 'tool-start', tool: signal.tool, detail: signal.detail }];
    case 'tool-end':
      return [{ type: 'tool-end', tool: signal.tool ?? 'tool', failed: signal.failed }];
    case 'retry':
      return [{ type: 'retry', reason: signal.reason }];
    case 'failure':
      return [{ type: 'error', message: signal.message }];
    case 'usage':
      return [{ type: 'usage', usage: signal.usage }];
    case 'narration-end':
    case 'limit':
    case 'success':
    case 'strike':
    case 'strike-clear':
      return [];
  }
}

function strike(reading: Reading, signal: Extract<Signal, { type: 'strike' }>): Reading {
  const count = (reading.strikes[signal.name] ?? 0) + 1;
  const strikes = { ...reading.strikes, [signal.name]: count };
  if (count < signal.allowed) return { ...reading, strikes };
  const failure = { message: signal.message, kind: signal.kind, passing: false };
  return { ...reading, strikes, failure, hopeless: true };
}

/** A later failure replaces an earlier one, unless it only repeats that something went wrong. */
function strongerFailure(
  earlier: Reading['failure'],
  { message, kind, status, passing = false, vague = false }: Extract<Signal, { type: 'failure' }>,
): Reading['failure'] {
  if (earlier !== undefined && vague) return { ...earlier, passing: earlier.passing && passing };
  if (earlier?.kind !== undefined && kind === undefined)
    return { ...earlier, passing: earlier.passing && passing };
  // Later words without the status of earlier ones still speak of the same call.
  return { message, kind, status: status ?? earlier?.status, passing };
}

function addUsage(left: Usage, right: Usage): Usage {
  if (left.basis === 'unknown') return right;
  if (right.basis === 'unknown') return left;
  return combine(left, right, (one, other) => one + other);
}

/** What this run used, from totals of a conversation before and after it. */
export function subtractUsage(total: Usage, earlier: Usage): Usage {
  return combine(total, earlier, (one, other) => Math.max(0, one - other));
}

function combine(left: Usage, right: Usage, operation: (one: number, other: number) => number): Usage {
  const optional = (one: number | undefined, other: number | undefined) =>
    one === undefined && other === undefined ? undefined : operation(one ?? 0, other ?? 0);
  const reasoningTokens = optional(left.reasoningTokens, right.reasoningTokens);
  const usd = optional(left.usd, right.usd);
  return {
    basis: left.basis === 'estimated' || right.basis === 'estimated' ? 'estimated' : 'measured',
    inputTokens: operation(left.inputTokens, right.inputTokens),
    cachedInputTokens: operation(left.cachedInputTokens, right.cachedInputTokens),
    outputTokens: operation(left.outputTokens, right.outputTokens),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(usd === undefined ? {} : { usd }),
  };
}

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
    text: answerText(reading, endedWell, kind),
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
function answerText(reading: Reading, endedWell: boolean, kind: LaneKind): string {
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
