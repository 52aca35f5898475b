import type { Delta, RoleSession } from './state.ts';

/** What a provider charges for cached input, relative to plain input. */
type CacheTerms = { write: number; read: number; ttlSeconds: number; minimumTokens: number };

/** Published terms of the five-minute cache; a setting, not a law. */
const usualCacheTerms: CacheTerms = { write: 1.25, read: 0.1, ttlSeconds: 300, minimumTokens: 1024 };

type CostInput = {
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

type CostDecision = {
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

/** What came back from a continued session. */
export type ResumedAnswer = {
  text: string;
  /** The driver's own failure, if it saw one. */
  error?: string;
  /** Tokens the agent says it used; absent when it does not say. */
  totalTokens?: number;
  agentId?: string;
  /** Whether a usable verdict was found, after one retry. */
  parsed: boolean;
};

const lostTranscript =
  /\b(?:no (?:prior|previous|earlier) (?:context|conversation|review)|(?:don't|do not|cannot|can't) (?:have|see|recall|find) (?:any |the |my )?(?:prior|previous|earlier))\b/i;

/** Tricky case 9: why a continued call counts as failed; `undefined` when it can be used. A changed id alone is fine. */
export function resumeFailure({ text, error, totalTokens, parsed }: ResumedAnswer): string | undefined {
  if (error !== undefined && error !== '') return error;
  if (text.trim() === '') return 'empty answer';
  if (totalTokens === 0) return 'the agent used no tokens';
  if (!parsed && lostTranscript.test(text.slice(0, 4_000))) return 'the agent lost its transcript';
  return parsed ? undefined : 'no usable answer after one retry';
}

/** What continuing a session is measured against. */
type GuardInput = {
  /** lean/C-02: the whole message to the continued session. `legacy` checks the diff alone. */
  resumedTokens: number;
  /** The prompt of the call that started the session. */
  promptTokens: number;
  /** lean/C-01: what a fresh agent would read again: artifacts and the text under review. */
  readTokens: number;
  mode?: 'effective' | 'legacy';
  limit?: number;
};

type GuardVerdict = { trips: boolean; share: number; limit: number };

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

export type DispatchQuestion = {
  iteration: number;
  /** T-113: roles outside review loops are always fresh. */
  resumable: boolean;
  /** T-115: what probing this agent showed. */
  agentResumes: boolean;
  session: RoleSession | undefined;
  /** T-105: there was a session in this run, but its id is gone. */
  sessionLost?: boolean;
  delta: Delta;
  /** Tokens of the message that would continue the session. */
  resumedTokens: number;
  finalValidation: boolean;
  /** T-092: what committing the revision came to, where revisions are committed. */
  commit?: 'COMMIT_OK' | 'NO_CHANGES' | 'COMMIT_FAILED';
  /** In milliseconds. */
  now: number;
  guardMode?: 'effective' | 'legacy';
  cacheTerms?: CacheTerms;
};

/** Why a call is fresh. Only a lost session is a fallback that is logged (T-104, T-105). */
export const freshReasons = {
  'first iteration': { fallback: false },
  'role is not resumed': { fallback: false },
  'agent cannot resume': { fallback: false },
  'no session': { fallback: false },
  'agent_id lost (context compaction)': { fallback: true },
  'nothing changed': { fallback: false },
  'changes could not be committed': { fallback: false },
  'changes are too large for a diff': { fallback: false },
  'delta is over half of a fresh call': { fallback: false },
  'cache is cold, fresh is cheaper': { fallback: false },
} as const;

type FreshReason = keyof typeof freshReasons;

type DispatchDecision =
  | { kind: 'resume'; agentId: string; share: number; cache: CostDecision['cache'] }
  | { kind: 'fresh'; reason: FreshReason; guardTripped: boolean };

/** T-089…T-098, lean/C-28: continue the session of a role, or start again. */
export function decideDispatch(question: DispatchQuestion): DispatchDecision {
  const { session } = question;
  const early = earlyReason(question);
  if (early !== undefined || session === undefined) return fresh(early ?? 'no session');
  const guard = guardResume({
    resumedTokens: question.resumedTokens,
    promptTokens: session.promptTokens,
    readTokens: session.readTokens,
    ...(question.guardMode === undefined ? {} : { mode: question.guardMode }),
  });
  // T-098: a final look is worth its price.
  if (guard.trips && !question.finalValidation) return fresh('delta is over half of a fresh call', true);
  const cost = decideByCost({
    transcriptTokens: session.transcriptTokens,
    resumedTokens: question.resumedTokens,
    freshTokens: session.promptTokens + session.readTokens,
    idleSeconds: Math.max(0, question.now - session.lastUsed) / 1000,
    ...(question.cacheTerms === undefined ? {} : { terms: question.cacheTerms }),
  });
  if (cost.choose === 'fresh') return fresh('cache is cold, fresh is cheaper');
  return { kind: 'resume', agentId: session.agentId, share: guard.share, cache: cost.cache };
}

function earlyReason(question: DispatchQuestion): FreshReason | undefined {
  const { iteration, resumable, agentResumes, session, sessionLost, delta, commit, finalValidation } =
    question;
  if (iteration < 2) return 'first iteration';
  if (!resumable) return 'role is not resumed';
  if (!agentResumes) return 'agent cannot resume';
  if (session === undefined)
    return sessionLost === true ? 'agent_id lost (context compaction)' : 'no session';
  if (commit === 'COMMIT_FAILED') return 'changes could not be committed';
  if (delta.kind === 'too-large') return 'changes are too large for a diff';
  if ((delta.kind === 'same' || commit === 'NO_CHANGES') && !finalValidation) return 'nothing changed';
  return undefined;
}

function fresh(reason: FreshReason, guardTripped = false): DispatchDecision {
  return { kind: 'fresh', reason, guardTripped };
}
