import type { AgentSettings } from '../agents/settings.ts';
import { isRecord } from '../base/safe-json.ts';

/**
 * Whether a run keeps everything it has in its own directory, so that it can be gone on with elsewhere. Worktrees,
 * commits, feature documents and pages stay in the clone they were made in.
 */
export function keepsToItsDirectory(workflow: string, inputs: unknown): boolean {
  if (!isRecord(inputs) || inputs['fromRun'] !== undefined) return false;
  if (workflow === 'design')
    return inputs['subagent'] !== true && inputs['out'] === undefined && inputs['caller'] === undefined;
  return workflow === 'lite-plan' && inputs['planOnly'] === true;
}

/** Whether another clone may go on with it in the middle: the branch of a design is where it was made. */
export function travels(workflow: string, inputs: unknown): boolean {
  if (!keepsToItsDirectory(workflow, inputs)) return false;
  return workflow !== 'design' || (isRecord(inputs) && inputs['branch'] === false);
}

/** What every run keeps in run.json to be able to go on in another process. */
export type RunInputs = {
  /** The agents as they were declared or found when the run was made. */
  roster: AgentSettings[];
  project: string;
  parallel: number;
  /** An earlier run whose finished answers are taken over where the request is the same. */
  fromRun?: string;
  /** With `fromRun`: from this step on everything is done anew. */
  fromStep?: string;
};
