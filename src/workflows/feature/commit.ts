import { existsSync } from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { artifacts, sideFiles } from '../../prompts/artifacts.ts';
import type { AuthoredKey } from '../../prompts/author/write.ts';
import type { FeatureDesk } from './desk.ts';
import type { FeaturePhaseInputs } from './inputs.ts';
import {
  type CommitOutcome,
  commitRevision,
  completionMessage,
  revisionMessage,
} from './rules/commit-revision.ts';

export type CommitKind = CommitOutcome['kind'];
type Desk = FeatureDesk<FeaturePhaseInputs>;

/** T-091…T-093: commits a revised document and nothing else, where the person asked for commits. */
export async function commitDocument(
  desk: Desk,
  key: AuthoredKey,
  { command, role, iteration }: { command: FeaturePhaseInputs['phase']; role: string; iteration: number },
): Promise<CommitKind | undefined> {
  return commit(desk, [artifacts[key].file], revisionMessage(command, role, iteration));
}

/** §2C: closes a phase; "nothing to commit" is success, a commit that fails blocks the completion. */
export async function commitCompletion(
  desk: Desk,
  keys: readonly AuthoredKey[],
  approved: boolean,
): Promise<void> {
  if (!desk.inputs.commit) return;
  const names = [...keys.map((key) => artifacts[key].file), sideFiles.state, sideFiles.history];
  const there = names.filter((name) => existsSync(path.join(desk.inputs.directory, name)));
  const slug = path.basename(desk.inputs.directory).replace(/^\d+-/, '');
  const outcome = await commitFiles(desk, there, completionMessage(desk.inputs.phase, slug, approved));
  if (outcome.kind !== 'COMMIT_FAILED') return;
  throw new CharretteError({
    code: 'git-failed',
    message: `${desk.inputs.phase} is not completed, because it could not be committed: ${outcome.reason}`,
    fix: 'Mend what git says and go on with `charrette resume`.',
  });
}

async function commit(
  desk: Desk,
  names: readonly string[],
  message: string,
): Promise<CommitKind | undefined> {
  if (!desk.inputs.commit) return undefined;
  const outcome = await desk.once(`commit ${message}`, () => commitFiles(desk, names, message));
  if (outcome.kind === 'COMMIT_FAILED') desk.warn(`Not committed: ${outcome.reason}`);
  return outcome.kind;
}

function commitFiles(desk: Desk, names: readonly string[], message: string): Promise<CommitOutcome> {
  const { project } = desk.services;
  const files = names.map((name) => path.relative(project, path.join(desk.inputs.directory, name)));
  return commitRevision(
    project,
    files.map((file) => file.split(path.sep).join('/')),
    message,
  );
}
