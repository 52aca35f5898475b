import path from 'node:path';
import { thisWorld } from '../agents/settings.ts';
import { toCharretteError } from '../base/errors.ts';
import type { NewRun } from '../workflows/create-run.ts';
import type { ScriptInputs } from '../workflows/script/inputs.ts';
import type { Problem } from '../workflows/script/inspect.ts';
import { inspectScript } from '../workflows/script/inspector.ts';
import { listWorkflows, readWorkflowText } from '../workflows/script/places.ts';
import {
  type LoadedWorkflow,
  loadWorkflow,
  prepareScript,
  type ScriptFlags,
} from '../workflows/script/prepare.ts';
import { isAllowed } from '../workflows/script/trust.ts';
import { findRun, type Project } from './project.ts';

/** A workflow file that can be started by name; an unusable one has what is wrong as its description. */
export type WorkflowRow = {
  name: string;
  description: string;
  file: string;
  owner: 'project' | 'user';
  usable: boolean;
  allowed?: boolean;
  digest?: string;
};

/** W-152: the workflow files of the project and your own. */
export function workflowFiles({ project, cwd }: Project): WorkflowRow[] {
  const world = thisWorld();
  return listWorkflows(cwd, project, world).map(({ name, file, owner }) => {
    try {
      const { inspection, digest, ...loaded } = loadWorkflow({ target: file, cwd, project, world });
      const allowed = loaded.owner === 'user' || isAllowed(world, project, digest);
      return { name, description: inspection.meta.description, file, owner, usable: true, allowed, digest };
    } catch (error) {
      const description = toCharretteError(error).message.split('\n')[0] ?? '';
      return { name, description, file, owner, usable: false };
    }
  });
}

export type ScriptRequest = {
  /** A name, a path, or `-` with `text`. */
  target: string;
  text?: string | undefined;
  args?: unknown;
  flags: ScriptFlags;
  /** Consent to call the agents was given beforehand. */
  consented: boolean;
  /** The file does not come from a person: nothing but an answer or a digest that was allowed lets it run (W-156). */
  foreign?: boolean;
};

/** Settles everything that a run of a workflow file needs before it starts. */
export async function prepareScriptRun(
  project: Project,
  { target, text, args, flags, consented, foreign = false }: ScriptRequest,
): Promise<NewRun & { inputs: ScriptInputs; loaded: LoadedWorkflow }> {
  const world = thisWorld();
  const { cwd, configFile } = project;
  const stdin = text === undefined ? {} : { stdin: text };
  const found = loadWorkflow({ target, ...stdin, cwd, project: project.project, world });
  const loaded: LoadedWorkflow = foreign ? { ...found, owner: 'project' } : found;
  const fromRun = flags.fromRun === undefined ? {} : { fromRun: (await findRun(project, flags.fromRun)).id };
  const inputs = await prepareScript({
    ...{
      loaded,
      args,
      project: project.project,
      flags: { ...flags, ...fromRun },
      world,
      configFile,
      consented,
    },
  });
  const title = `${inputs.name}: ${inputs.about.description}`.slice(0, 200);
  return { workflow: 'script', title, inputs, baseCommit: inputs.baseCommit, loaded };
}

/** What is wrong with a workflow file or a text; nothing of it runs. */
export function checkWorkflowFile(
  { cwd }: Pick<Project, 'cwd'>,
  { file, text }: { file?: string; text?: string },
): Problem[] {
  if (file === undefined) return inspectScript('script.ts', text ?? '').problems;
  return inspectScript(file, readWorkflowText(path.resolve(cwd, file))).problems;
}
