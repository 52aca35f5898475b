export type Basis = 'measured' | 'estimated' | 'unknown';

/** Tokens of this call alone; drivers subtract earlier totals where an agent reports cumulative ones. */
export type Usage = {
  basis: Basis;
  /** All input tokens, those from a cache included. */
  inputTokens: number;
  /** The part of the input that came from a cache. */
  cachedInputTokens: number;
  outputTokens: number;
  reasoningTokens?: number;
  /** Money as the agent reports it. Absent: the ledger prices the tokens or says unknown. */
  usd?: number;
};

export const unknownUsage: Usage = {
  basis: 'unknown',
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
};
