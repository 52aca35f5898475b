/** How agents are spoken to; the values of `protocol` in the configuration. */
export const protocols = [
  'claude',
  'codex',
  'cursor',
  'gemini',
  'opencode',
  'qwen',
  'grok',
  'goose',
  'copilot',
  'pi',
  'acp',
  'model',
  'exec',
  'static',
] as const;

export type Protocol = (typeof protocols)[number];

/** How a call of an agent ended. Everything else (retry, fallback, message) is derived from it by table. */
export const laneKinds = [
  'ok',
  'auth',
  'rate_limit',
  'quota',
  'server',
  'network',
  'stream',
  'context_too_long',
  'timeout',
  'cancelled',
  'limit',
  'bad_output',
  'crash',
  'denied',
  'not_substantive',
  'unhealthy',
] as const;

export type LaneKind = (typeof laneKinds)[number];

type Basis = 'measured' | 'estimated' | 'unknown';

/** Tokens of this call alone; drivers subtract earlier totals where an agent reports cumulative ones. */
export type Usage = {
  basis: Basis;
  /** All input tokens, those from a cache included. */
  inputTokens: number;
  /** The part of the input that came from a cache. */
  cachedInputTokens: number;
  outputTokens: number;
  reasoningTokens?: number;
  /** Money as the agent reports it; without it the ledger prices the tokens or says unknown. */
  usd?: number;
};

export const unknownUsage: Usage = {
  basis: 'unknown',
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
};
