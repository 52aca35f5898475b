/** What continuing a session is measured against. */
export type GuardInput = {
  /** lean/C-02: the whole message to the continued session. `legacy` looks at the diff alone. */
  resumedTokens: number;
  /** The prompt of the call that started the session. */
  promptTokens: number;
  /** lean/C-01: what a fresh agent would read again: artifacts and the text under review. */
  readTokens: number;
  mode?: 'effective' | 'legacy';
  limit?: number;
};

export type GuardVerdict = { trips: boolean; share: number; limit: number };

/** T-097: half. */
const usualLimit = 0.5;

/** T-097, lean/C-01: continuing must cost at most half of what a fresh call costs; exactly half still continues. */
export function guardResume({
  resumedTokens,
  promptTokens,
  readTokens,
  mode = 'effective',
  limit = usualLimit,
}: GuardInput): GuardVerdict {
  const fresh = mode === 'legacy' ? promptTokens : promptTokens + readTokens;
  const share = fresh === 0 ? Number.POSITIVE_INFINITY : resumedTokens / fresh;
  return { trips: share > limit, share, limit };
}
