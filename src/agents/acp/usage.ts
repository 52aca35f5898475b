import { isRecord } from '../../base/safe-json.ts';
import type { Usage } from '../port.ts';

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
export function reportsUsage(agent: string): boolean {
  return coverageByAgent.some(([name]) => name.test(agent));
}

/** The tokens that a prompt's answer tells of. Only figures known to cover all calls of the prompt or of the session are measured. */
export function usageIn(
  response: unknown,
  agent: string,
): { usage: Usage; scope: 'total' | 'session' } | undefined {
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
