import { createHash } from 'node:crypto';
import { countLines, unifiedDiff } from '../../base/text/diff.ts';
import { readFrontMatter } from '../../base/text/frontmatter.ts';

/** lean/C-03: what an agent was shown or told to read, as it was at that moment. */
type Snapshot = Readonly<Record<string, { sha256: string; text: string }>>;

export function takeSnapshot(texts: Readonly<Record<string, string>>): Snapshot {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      { sha256: createHash('sha256').update(text).digest('hex'), text },
    ]),
  );
}

export type Delta =
  | { kind: 'same' }
  | { kind: 'delta'; stat: string; text: string }
  /** Too large or too different for a diff: the files have to be read again. */
  | { kind: 'too-large'; files: readonly string[] };

/** The agent has the files before it; one line around a change is enough to find the place. */
const contextLines = 1;

/** T-094, T-095, tricky case 8: what changed since a snapshot. Line endings and added front matter are not changes. */
export function deltaSince(snapshot: Snapshot, current: Readonly<Record<string, string>>): Delta {
  const names = [...new Set([...Object.keys(snapshot), ...Object.keys(current)])];
  const stats: string[] = [];
  const diffs: string[] = [];
  const tooLarge: string[] = [];
  for (const name of names) {
    const before = normalised(snapshot[name]?.text ?? '');
    const after = normalised(current[name] ?? '');
    const sameBody = snapshot[name] !== undefined && withoutFrontMatter(before) === withoutFrontMatter(after);
    if (sameBody) continue;
    const diff = unifiedDiff(before, after, { before: name, after: name, context: contextLines });
    if (diff.kind === 'too-large') tooLarge.push(name);
    if (diff.kind !== 'diff') continue;
    stats.push(`${name} | +${diff.added} -${diff.removed}${stateOf(name, snapshot, current)}`);
    diffs.push(diff.text.trimEnd());
  }
  if (tooLarge.length > 0) return { kind: 'too-large', files: tooLarge };
  if (diffs.length === 0) return { kind: 'same' };
  return { kind: 'delta', stat: stats.join('\n'), text: diffs.join('\n') };
}

function stateOf(name: string, snapshot: Snapshot, current: Readonly<Record<string, string>>): string {
  if (snapshot[name] === undefined) return ` (new, ${countLines(current[name] ?? '')} lines)`;
  return current[name] === undefined ? ' (removed)' : '';
}

function normalised(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n/g, '\n');
}

function withoutFrontMatter(text: string): string {
  return text.startsWith('---') ? readFrontMatter(text).body.trimStart() : text.trimStart();
}

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
