import type { RunRecord } from '../../engine/run-record.ts';

/** Names the branch that a design checked out and how to go back; nothing where the run checked none out. */
export function runBranchLine({ branch }: Pick<RunRecord, 'branch'>): string | undefined {
  if (branch === undefined) return undefined;
  const { name, created, previous } = branch;
  const detached = /^[0-9a-f]{40,64}$/.test(previous) ? '--detach ' : '';
  const made = created ? 'created by this run' : 'existed before';
  return `Branch: ${name} (${made}). Run \`git switch ${detached}${previous}\` to go back.`;
}
