import { DBOS } from '@dbos-inc/dbos-sdk';
import { toCharretteError } from '../errors.ts';

const refusals: ReadonlySet<string> = new Set(['disk-full', 'permission-denied']);

/**
 * Whether the journal of a run tells of a disk that was full or read-only: who goes through it again would hear of it again, whatever
 * the disk takes by now.
 */
export async function toldOfRefusingDisk(runId: string, unfinished: readonly string[]): Promise<boolean> {
  const failed = await DBOS.listWorkflows({
    workflow_id_prefix: `${runId}.`,
    status: 'ERROR',
    loadInput: false,
  });
  const steps = await Promise.all(unfinished.map((id) => DBOS.listWorkflowSteps(id)));
  const errors = [...failed, ...steps.flatMap((list) => list ?? [])].map(({ error }) => error);
  return errors.some((error) => error != null && refusals.has(toCharretteError(error).code));
}
