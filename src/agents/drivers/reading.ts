import { isRecord, readJson } from '../../base/safe-json.ts';
import { type AgentEvent, type LaneKind, type Usage, unknownUsage } from '../port.ts';
import type { LimitNote } from '../quota.ts';
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
