import { DBOS } from '@dbos-inc/dbos-sdk';
import { toCharretteError } from '../base/errors.ts';

/** Whether the journal of a run tells of a full disk: who goes through it again would hear of it again, whatever room there is by now. */
export async function toldOfFullDisk(runId: string, unfinished: readonly string[]): Promise<boolean> {
  const failed = await DBOS.listWorkflows({
    workflow_id_prefix: `${runId}.`,
    status: 'ERROR',
    loadInput: false,
  });
  const steps = await Promise.all(unfinished.map((id) => DBOS.listWorkflowSteps(id)));
  const errors = [...failed, ...steps.flatMap((list) => list ?? [])].map(({ error }) => error);
  return errors.some((error) => error != null && toCharretteError(error).code === 'disk-full');
}
