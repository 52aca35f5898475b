import path from 'node:path';
import {
  type CommitOutcome,
  commitRevision,
  completionMessage,
  revisionMessage,
} from '../../feature/commit-revision.ts';
import { artifacts, sideFiles } from '../../prompts/artifacts.ts';
import type { AuthoredKey } from '../../prompts/author/write.ts';
import type { FeatureDesk } from './desk.ts';
import type { FeaturePhaseInputs } from './inputs.ts';

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

/** §2C: closes a phase; "nothing to commit" is success. */
export async function commitCompletion(desk: Desk, keys: readonly AuthoredKey[]): Promise<void> {
  const files = [...keys.map((key) => artifacts[key].file), sideFiles.state, sideFiles.history];
  const slug = path.basename(desk.inputs.directory).replace(/^\d+-/, '');
  await commit(desk, files, completionMessage(desk.inputs.phase, slug));
}

async function commit(
  desk: Desk,
  names: readonly string[],
  message: string,
): Promise<CommitKind | undefined> {
  if (!desk.inputs.commit) return undefined;
  const { project } = desk.services;
  const files = names.map((name) => path.relative(project, path.join(desk.inputs.directory, name)));
  const outcome = await desk.once(`commit ${message}`, () =>
    commitRevision(
      project,
      files.map((file) => file.split(path.sep).join('/')),
      message,
    ),
  );
  if (outcome.kind === 'COMMIT_FAILED') desk.warn(`Not committed: ${outcome.reason}`);
  return outcome.kind;
}
