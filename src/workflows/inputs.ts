import type { AgentSettings } from '../agents/settings.ts';

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
