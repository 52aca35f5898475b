/** What a provider charges for cached input, relative to plain input. */
export type CacheTerms = { write: number; read: number; ttlSeconds: number; minimumTokens: number };

/** Published terms of the five-minute cache; a setting, not a law. */
export const usualCacheTerms: CacheTerms = { write: 1.25, read: 0.1, ttlSeconds: 300, minimumTokens: 1024 };

export type CostInput = {
  /** Tokens of the session so far, which a continued call sends again. */
  transcriptTokens: number;
  /** The message that continues it. */
  resumedTokens: number;
  /** A fresh call: prompt and everything it reads. */
  freshTokens: number;
  /** Since the session was last used. */
  idleSeconds: number;
  terms?: CacheTerms;
};

export type CostDecision = {
  choose: 'resume' | 'fresh';
  cache: 'warm' | 'cold';
  /** In plain input tokens. */
  resume: number;
  fresh: number;
};

/** lean/C-28: continuing is cheap while the cache is warm and dear when it is cold; the cheaper way is taken. */
export function decideByCost(input: CostInput): CostDecision {
  const { transcriptTokens, resumedTokens, freshTokens, idleSeconds, terms = usualCacheTerms } = input;
  const cached = transcriptTokens >= terms.minimumTokens;
  const warm = cached && idleSeconds < terms.ttlSeconds;
  const write = cached ? terms.write : 1;
  const resume = transcriptTokens * (warm ? terms.read : write) + resumedTokens * write;
  const fresh = freshTokens * (freshTokens >= terms.minimumTokens ? terms.write : 1);
  return { choose: resume <= fresh ? 'resume' : 'fresh', cache: warm ? 'warm' : 'cold', resume, fresh };
}
