import { type CacheTerms, type CostDecision, decideByCost } from './cost.ts';
import { guardResume } from './guard.ts';
import type { Delta } from './snapshot.ts';
import type { RoleSession } from './state.ts';

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

export type FreshReason = keyof typeof freshReasons;

export type DispatchDecision =
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
