import { readTextFile } from '../../base/files/bounded.ts';
import type { AgentHealth } from './health.ts';
import { parseKeyValues, renderKeyValues } from './key-values.ts';

/** L-910: the keys a caller may hand over. */
export const sessionKeys = [
  'SLACK_OK',
  'SLACK_MISSING',
  'REPO',
  'REPO_UNAVAILABLE',
  'CODEX_HEALTHY',
  'CURSOR_HEALTHY',
  'GEMINI_HEALTHY',
  'LARCH_TOKEN_SESSION_ID',
  'LARCH_CLAUDE_SOURCE_FILE',
  'LARCH_TIMING_LEDGER',
] as const;
export type SessionKey = (typeof sessionKeys)[number];

export type SessionEnvironment = Partial<Record<SessionKey, string>>;

const largestFile = 256 * 1024;

/** L-115, L-883: the known keys of a session environment; unknown ones are ignored. */
export function parseSessionEnvironment(text: string): SessionEnvironment {
  const values = parseKeyValues(text);
  return Object.fromEntries(
    sessionKeys.flatMap((key) => (values.has(key) ? [[key, values.get(key) ?? '']] : [])),
  );
}

/** L-115: a missing or empty file means full discovery. */
export async function readSessionEnvironment(file: string): Promise<SessionEnvironment> {
  if (file === '') return {};
  return parseSessionEnvironment((await readTextFile(file, largestFile)) ?? '');
}

/** L-114: agents that the caller already knows to be unhealthy are not probed and stay off. */
export function knownUnhealthy(environment: SessionEnvironment): string[] {
  return Object.entries(environment)
    .filter(([key, value]) => key.endsWith('_HEALTHY') && value === 'false')
    .map(([key]) => key.slice(0, -'_HEALTHY'.length).toLowerCase());
}

/** L-128: the sidecar of a session environment. */
export function healthFile(sessionEnvironment: string): string {
  return `${sessionEnvironment}.health`;
}

/** L-128, L-978: one line per agent; what is not known to be healthy is written as false. */
export function renderHealth(
  agents: Readonly<Record<string, Pick<AgentHealth, 'available' | 'healthy'> | undefined>>,
): string {
  return renderKeyValues(
    Object.entries(agents).map(
      ([agent, health]) =>
        [`${agentKey(agent)}_HEALTHY`, `${health?.available === true && health.healthy}`] as const,
    ),
  );
}

export function agentKey(agent: string): string {
  return agent.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}
