import { thisWorld } from '../agents/settings.ts';
import { CharretteError } from '../base/errors.ts';
import type { NewRun } from '../workflows/create-run.ts';
import type { DepthName } from '../workflows/design/depth.ts';
import type { DesignInputs } from '../workflows/design/desk.ts';
import { type DepthProposal, type DesignFlags, prepareDesign } from '../workflows/design/prepare.ts';
import { findRun, type Project } from './project.ts';

/** In bytes; a feature is part of many prompts. */
export const maxFeatureBytes = 1024 * 1024;

/** A design as a user or a program asks for it. */
export type DesignRequest = DesignFlags & {
  workflow: 'design';
  feature: string;
  /** A run whose finished answers are reused where the request is the same. */
  fromRun?: string | undefined;
  /** Consent to call the agents was given beforehand. */
  consented?: boolean;
  /** Someone can be asked while it runs. */
  interactive?: boolean;
  /** The repository is only read. */
  dryRun?: boolean;
  chooseDepth?: (proposal: DepthProposal) => Promise<DepthName>;
};

/** Settles everything that a design needs to know before it starts; throws what keeps it from starting. */
export async function prepareDesignRun(
  project: Project,
  {
    workflow,
    feature: given,
    fromRun,
    consented = false,
    interactive = false,
    dryRun = false,
    chooseDepth = async ({ depth }) => depth,
    ...flags
  }: DesignRequest,
): Promise<NewRun & { inputs: DesignInputs; warnings: string[] }> {
  const feature = given.trim();
  // L-013: nothing is touched before there is something to design.
  if (feature === '')
    throw new CharretteError({
      code: 'usage',
      message: 'The feature is empty.',
      fix: 'Say what to design: `charrette design "…"`.',
    });
  const { inputs, warnings } = await prepareDesign({
    feature,
    project: project.project,
    cwd: project.cwd,
    flags,
    world: thisWorld(),
    configFile: project.configFile,
    consented,
    interactive,
    dryRun,
    fromRun: fromRun === undefined ? undefined : (await findRun(project, fromRun)).id,
    chooseDepth,
  });
  return { workflow, title: feature, inputs, baseCommit: inputs.baseCommit, warnings };
}
