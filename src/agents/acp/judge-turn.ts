import { isRecord } from '../../base/safe-json.ts';
import type { Signal } from '../drivers/driver.ts';
import { extractAnswer } from '../extract-json.ts';
import { classifyFailure } from '../failure-kinds.ts';
import type { AgentTask, LaneKind, Usage } from '../port.ts';
import { answerIn, type Transcript, trailingRemark } from './transcript.ts';

/** What the figures of a prompt's answer cover, by agent; the protocol does not say. */
type Coverage = 'prompt' | 'session' | 'last-call';

const coverageByAgent: readonly (readonly [RegExp, Coverage])[] = [
  [/claude/i, 'prompt'],
  [/codex/i, 'prompt'],
  [/gemini/i, 'prompt'],
  [/copilot/i, 'session'],
  [/opencode/i, 'last-call'],
  [/goose/i, 'last-call'],
];

/** Agents known to report figures with every answer; an end without them was no answer. */
function reportsUsage(agent: string): boolean {
  return coverageByAgent.some(([name]) => name.test(agent));
}

/** The tokens that a prompt's answer reports. Only figures that cover all calls of the prompt or session count. */
function usageIn(response: unknown, agent: string): { usage: Usage; scope: 'total' | 'session' } | undefined {
  const figures = figuresIn(response);
  if (figures === undefined) return undefined;
  const coverage = coverageByAgent.find(([name]) => name.test(agent))?.[1];
  const basis = coverage === 'prompt' || coverage === 'session' ? 'measured' : 'estimated';
  return { usage: { basis, ...figures }, scope: coverage === 'session' ? 'session' : 'total' };
}

function figuresIn(response: unknown): Omit<Usage, 'basis'> | undefined {
  if (!isRecord(response)) return undefined;
  const usage = isRecord(response['usage']) ? response['usage'] : quotaIn(response['_meta']);
  if (usage === undefined) return undefined;
  const given = number(usage, 'inputTokens', 'input_tokens');
  const output = number(usage, 'outputTokens', 'output_tokens');
  if (given + output === 0) return undefined;
  const cached = number(usage, 'cachedReadTokens', 'cached_read_tokens');
  const reasoning = number(usage, 'thoughtTokens', 'thought_tokens');
  // Some count cached input apart, some within; the total tells which.
  const apart = given + output + cached + reasoning === number(usage, 'totalTokens', 'total_tokens');
  return {
    inputTokens: apart ? given + cached : given,
    cachedInputTokens: cached,
    outputTokens: output,
    ...(reasoning > 0 ? { reasoningTokens: reasoning } : {}),
  };
}

/** Gemini and Grok put their figures where the protocol leaves room for private matters. */
function quotaIn(meta: unknown): Record<string, unknown> | undefined {
  if (!isRecord(meta)) return undefined;
  if (isRecord(meta['usage'])) return meta['usage'];
  const quota = meta['quota'];
  return isRecord(quota) && isRecord(quota['token_count']) ? quota['token_count'] : undefined;
}

function number(record: Record<string, unknown>, ...names: string[]): number {
  for (const name of names) {
    const value = record[name];
    if (typeof value === 'number' && Number.isFinite(value)) return value;
  }
  return 0;
}

/** The protocol's own code for "log in first". */
export const authenticationRequired = -32000;

/** The earlier session cannot be continued; asking again with the whole prompt can still work. */
export class ResumeFailure extends Error {}

/** What a refused request means. Some agents put a provider's status into the code, some into their words. */
export function failureOfError(error: unknown): { kind: LaneKind; message: string } {
  if (error instanceof ResumeFailure) {
    return { kind: 'bad_output', message: `The earlier session cannot be continued: ${error.message}` };
  }
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const data = isRecord(error) || error instanceof Error ? (error as { data?: unknown }).data : undefined;
  const details = data === undefined ? '' : ` ${JSON.stringify(data).slice(0, 1000)}`;
  if (code === authenticationRequired) return { kind: 'auth', message };
  const status = code !== undefined && code >= 400 && code <= 599 ? code : undefined;
  return {
    kind: classifyFailure(`${message}${details}`, status),
    message: `${message}${details}`.slice(0, 2000),
  };
}

export function codeOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' ? code : undefined;
}

/** How agents begin when they say an error where an answer should be. */
const errorOpenings =
  /^\W*(?:(?:api|network|server|internal|authentication|request|stream|unknown|fatal|provider) )?error\b|^(?:ran into this error|stream disconnected|prompt is too long|we.re currently experiencing|the model returned an empty response|\{"error")/i;

/** The failure that an answer really is, if it is one. */
function failureInAnswer(text: string): { kind: LaneKind; message: string } | undefined {
  if (text.length > 2000 || !errorOpenings.test(text)) return undefined;
  const kind = classifyFailure(text);
  return { kind: kind === 'crash' ? 'server' : kind, message: text };
}

type Turn = {
  /** The answer to the prompt request, as it came. */
  response: unknown;
  transcript: Transcript;
  /** The agent's own name for itself. */
  agent: string;
  request: { task: Pick<AgentTask, 'schema'> };
  /** Whether we asked the agent to stop. */
  stopped: boolean;
};

/**
 * What the end of a prompt means. Several agents end a failed turn like a good one, with the error as their text: a turn
 * without figures from an agent that always gives them, or a text that opens like an error, is a failure.
 */
export function judgeTurn({ response, transcript, agent, request, stopped }: Turn): Signal[] {
  const answer = answerIn(transcript);
  const usage = usageIn(response, agent);
  const cost: Signal[] = usage === undefined ? [] : [{ type: 'usage', ...usage }];
  const fail = (kind: LaneKind, message: string): Signal[] => [...cost, { type: 'failure', kind, message }];
  if (stopped) return fail('cancelled', 'The call was cancelled.');
  const reason = isRecord(response) ? String(response['stopReason']) : 'nothing';
  if (reason !== 'end_turn')
    return fail(...(endings[reason] ?? ['bad_output', `The agent ended its turn with ${reason}.`]));
  const remark = trailingRemark(transcript);
  if (usage === undefined && reportsUsage(agent)) {
    const message = remark === '' ? answer : remark;
    const named = failureInAnswer(message);
    if (named !== undefined) return fail(named.kind, named.message);
    return fail('stream', message === '' ? 'The agent ended without an answer.' : message);
  }
  const { schema } = request.task;
  const isJson = schema !== undefined && extractAnswer(answer, schema) !== undefined;
  const hidden = isJson ? undefined : failureInAnswer(remark === '' ? answer : remark);
  if (hidden !== undefined) return fail(hidden.kind, hidden.message);
  return [...cost, { type: 'success', text: answer }];
}

const endings: Readonly<Record<string, [LaneKind, string]>> = {
  max_tokens: ['limit', 'The answer was cut at the longest output.'],
  max_turn_requests: ['limit', 'The agent used up its turns.'],
  refusal: ['bad_output', 'The agent refused to answer.'],
  // Some agents end the turn when a permission is refused.
  cancelled: ['bad_output', 'The agent broke off its turn.'],
};
