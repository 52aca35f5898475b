import { devNull } from 'node:os';
import path from 'node:path';
import { writeFileAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { noPrefix, type StepPrefix, stepName } from '../../council/breadcrumbs.ts';
import type { AgentHealth, Health } from '../../council/health.ts';
import { projectRun } from '../../engine/run-directory.ts';
import { poisonManifest, putAside, writeManifest } from '../../plan/manifest.ts';
import { appendIssue, type IssueCategory } from '../../plan/plan-text.ts';
import type { Desk } from './desk.ts';

/** L-115, F-33: `KEY=value` lines, split at the first `=`. Blank lines, comments and lines without `=` are skipped; nothing is ever evaluated. */
export function parseKeyValues(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const split = line.indexOf('=');
    if (line.trim() === '' || line.trimStart().startsWith('#') || split <= 0) continue;
    values.set(line.slice(0, split).trim(), line.slice(split + 1));
  }
  return values;
}

/** One line per pair; a value with a line break or control character is refused, so that no value becomes a second line (F-10). */
export function renderKeyValues(pairs: readonly (readonly [key: string, value: string])[]): string {
  return pairs
    .map(([key, value]) => {
      if (!/^[A-Z][A-Z0-9_]*$/.test(key)) throw new RangeError(`invalid key ${JSON.stringify(key)}`);
      if (/[\u0000-\u001f\u007f]/.test(value))
        throw new RangeError(`the value of ${key} holds control characters`);
      return `${key}=${value}\n`;
    })
    .join('');
}

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

/** L-842, L-031 */
export function exportFailureWarning(directory: string, prefix: StepPrefix = noPrefix): string {
  return `**⚠ ${stepName('5', prefix)} — design manifest export failed. Parent /implement will rerun /design. Preserving ${directory} for inspection.**`;
}

/** A parent program that hands over a session environment and reads our results from its own directory (L-007, C-01). */
export type Caller = { sessionEnvironment: string; directory: string };

/** L-377: the null device holds and keeps nothing, so no caller waits there for results. */
export function callerOf(sessionEnvironment: string | undefined): Caller | undefined {
  if (sessionEnvironment === undefined || sessionEnvironment === '' || sessionEnvironment === devNull)
    return undefined;
  return { sessionEnvironment, directory: path.dirname(sessionEnvironment) };
}

const handOffName = 'oos-accepted-design.md';

/** C-17, L-114: an old export and old observations are put aside; agents that the caller knows to be down are named. */
export async function greetCaller(desk: Desk): Promise<string[]> {
  const { caller } = desk.inputs;
  if (caller === undefined) return [];
  return desk.context.step('read session environment', async () => {
    await poisonManifest(caller.directory);
    await putAside(path.join(caller.directory, handOffName));
    return knownUnhealthy(await readSessionEnvironment(caller.sessionEnvironment));
  });
}

/** L-128: the health sidecar of the session environment; a vendor the caller asks about and we lack is not healthy. */
export async function reportHealth(desk: Desk, health: Health): Promise<void> {
  const { caller } = desk.inputs;
  if (caller === undefined) return;
  await desk.context.step('write health', () =>
    writeFileAtomic(
      healthFile(caller.sessionEnvironment),
      renderHealth({ codex: undefined, cursor: undefined, ...health.agents }),
    ),
  );
}

/** C-38: our own log always; the caller's as well. */
export async function logIssues(
  desk: Desk,
  category: IssueCategory,
  entries: readonly string[],
): Promise<void> {
  const { caller } = desk.inputs;
  const own = projectRun(desk.context.live.directory).executionIssues;
  await desk.context.step(`log ${category}`, async () => {
    for (const entry of entries) {
      await appendIssue(own, category, entry);
      if (caller !== undefined)
        await appendIssue(path.join(caller.directory, 'execution-issues.md'), category, entry);
    }
  });
}

/** L-692: observations that deserve an issue, for the caller to file. */
export async function handOverObservations(desk: Desk, text: string): Promise<void> {
  const { caller } = desk.inputs;
  if (caller === undefined || text === '') return;
  await desk.context.step('hand over observations', () =>
    writeFileAtomic(path.join(caller.directory, handOffName), text),
  );
}

/** L-790, L-842: the bundle for the caller; a failed export is a warning and leaves nothing valid behind. */
export async function exportDesign(desk: Desk): Promise<boolean> {
  const { caller } = desk.inputs;
  if (caller === undefined) return true;
  const { artifacts } = desk.context.live.directory;
  const now = new Date(desk.context.clock.now());
  // L-796: the session is the caller's, not ours.
  const sessionId = process.env['SESSION_ID'] ?? '';
  const written = await desk.context.step('write manifest', () =>
    writeManifest({ designDirectory: artifacts, implementDirectory: caller.directory, sessionId, now }),
  );
  if (!written.ok) desk.warn(`${exportFailureWarning(artifacts, desk.inputs.prefix)} (${written.message})`);
  return written.ok;
}
