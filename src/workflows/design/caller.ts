import { devNull } from 'node:os';
import path from 'node:path';
import { writeFileAtomic } from '../../base/files/atomic.ts';
import { exportFailureWarning } from '../../council/panel/closing.ts';
import type { RunAvailability } from '../../council/panel/health.ts';
import {
  healthFile,
  knownUnhealthy,
  readSessionEnvironment,
  renderHealth,
} from '../../council/panel/session-env.ts';
import { appendIssue, type IssueCategory } from '../../plan/execution-issues.ts';
import { poisonManifest, putAside, writeManifest } from '../../plan/manifest-writer.ts';
import type { Desk } from './desk.ts';
import { projectRun } from './heavy-place.ts';

/** A parent program that hands over a session environment and reads our results from its own directory (L-007, C-01). */
export type Caller = { sessionEnvironment: string; directory: string };

/** L-377: the null device says nothing and keeps nothing, so that nobody waits there for results. */
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
export async function reportHealth(desk: Desk, health: RunAvailability): Promise<void> {
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

/** L-692: observations that deserve an issue of their own, for the caller to file. */
export async function handOver(desk: Desk, text: string): Promise<void> {
  const { caller } = desk.inputs;
  if (caller === undefined || text === '') return;
  await desk.context.step('hand over observations', () =>
    writeFileAtomic(path.join(caller.directory, handOffName), text),
  );
}

/** L-790, L-842: the bundle for the caller; a failed export is said and leaves nothing valid behind. */
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
