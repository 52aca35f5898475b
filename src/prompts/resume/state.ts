import type { Snapshot } from './snapshot.ts';

/** T-087: the chain of one role within one run of a command. */
export type RoleSession = {
  agentId: string;
  /** Characters and tokens of the fresh prompt that started this session (lean/C-04: of the latest one). */
  promptCharacters: number;
  promptTokens: number;
  readTokens: number;
  lastIteration: number;
  /** What the agent last saw. */
  snapshot: Snapshot;
  /** When it was last used, in milliseconds. */
  lastUsed: number;
  /** Everything sent and received so far. */
  transcriptTokens: number;
};

export type ResumeState = {
  readonly sessions: Readonly<Record<string, RoleSession>>;
  /** T-114: what was fixed, by iteration. */
  readonly fixSummaries: readonly { iteration: number; summary: string }[];
};

/** T-112: nothing is known; also what "fix and rerun" goes back to. */
export const noResumeState: ResumeState = { sessions: {}, fixSummaries: [] };

/** T-089, T-106: a fresh call starts a new chain; without an agent id there is none. */
export function afterFresh(
  state: ResumeState,
  role: string,
  session: Omit<RoleSession, 'agentId'> & { agentId: string | undefined },
): ResumeState {
  const { agentId } = session;
  if (agentId === undefined || agentId === '') return withoutSession(state, role);
  return { ...state, sessions: { ...state.sessions, [role]: { ...session, agentId } } };
}

/** T-107: the id may change; the snapshot is what the agent knows now. */
export function afterResume(
  state: ResumeState,
  role: string,
  update: Pick<RoleSession, 'lastIteration' | 'snapshot' | 'lastUsed'> & {
    agentId?: string;
    addedTokens: number;
  },
): ResumeState {
  const session = state.sessions[role];
  if (session === undefined) return state;
  const { agentId, addedTokens, ...rest } = update;
  return {
    ...state,
    sessions: {
      ...state.sessions,
      [role]: {
        ...session,
        ...rest,
        agentId: agentId ?? session.agentId,
        transcriptTokens: session.transcriptTokens + addedTokens,
      },
    },
  };
}

/** T-093, T-097: the chain of a role ends; the next call is fresh. */
export function withoutSession(state: ResumeState, role: string): ResumeState {
  const { [role]: _gone, ...sessions } = state.sessions;
  return { ...state, sessions };
}

export function withFixSummary(state: ResumeState, iteration: number, summary: string): ResumeState {
  return { ...state, fixSummaries: [...state.fixSummaries, { iteration, summary }] };
}

/** T-102: what was fixed since a role last looked. */
export function fixSummariesSince(state: ResumeState, role: string): string {
  const since = state.sessions[role]?.lastIteration ?? 0;
  return state.fixSummaries
    .filter(({ iteration }) => iteration >= since)
    .map(({ iteration, summary }) => `Iteration ${iteration}: ${summary.trim()}`)
    .join('\n');
}
