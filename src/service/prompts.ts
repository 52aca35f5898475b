import { realpathSync } from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { containedPath, isInside } from '../base/files/bounded.ts';
import { type ArtifactKey, sideFiles } from '../prompts/artifacts.ts';
import { type Compiled, compilePrompt, findShellPlaceholders, type Transport } from '../prompts/compile.ts';
import { describeUses, overrideWarnings } from '../prompts/describe.ts';
import { selectFeature } from '../prompts/feature/select.ts';
import { type FeatureFiles, readFeature } from '../prompts/feature-files.ts';
import { reportPrompt } from '../prompts/markers.ts';
import { compose, readOverrides, seededNonce } from '../prompts/part.ts';
import type { Dispatch } from '../prompts/roles/shapes.ts';
import { dispatchFor } from '../prompts/roles/table.ts';
import { indexed, parseTasks, scopeTask } from '../prompts/sections/tasks.ts';
import { compileTaskPrompt, readProject, renderProjectContext } from '../prompts/task-prompt.ts';
import { waiverFile } from '../workflows/feature/rules/waivers.ts';
import { type Project, settingsOf } from './project.ts';

/** Which feature is meant: by directory or id, below `root`, which holds `features/`; without a name the active one. */
export type FeatureName = {
  feature?: string | undefined;
  root?: string | undefined;
  /** Takes the active feature without asking. */
  autonomous?: boolean;
};

/** T-001: the folder of all features, by default `docs/features` of the project. */
export function featuresRoot({ cwd, project }: Project, root: string | undefined): string {
  return path.join(root === undefined ? path.join(project, 'docs') : path.resolve(cwd, root), 'features');
}

/** The directory of a feature. Only the user's own words may name one outside the project; a link in a clone may not. */
export async function findFeature(
  project: Project,
  { feature, root, autonomous = false }: FeatureName,
): Promise<string> {
  const { cwd } = project;
  const directory = await selectFeature({
    ...(feature === undefined ? {} : { named: feature }),
    cwd,
    root: featuresRoot(project, root),
    autonomous,
  });
  const [real, realProject] = [realpathSync(directory), realpathSync(project.project)];
  for (const name of [...Object.values(sideFiles), waiverFile]) await containedPath(directory, name);
  if (isInside(realProject, real)) return path.join(project.project, path.relative(realProject, real));
  if (root !== undefined || (feature !== undefined && path.resolve(cwd, feature) === directory))
    return directory;
  throw new CharretteError({
    code: 'path-unsafe',
    message: `The features of the project lie in ${real}, outside of it.`,
    fix: 'Name the feature directory with --feature, or its folder with --root, if you mean them.',
  });
}

export type PromptRequest = FeatureName & {
  command: string;
  role: string;
  iteration: number;
  max: number;
  transport: Transport;
  task?: string | undefined;
  /** Changed files, or files to work on. */
  files?: readonly string[];
  issues?: string | undefined;
  outlines?: string | undefined;
  /** What the role must read, instead of what the configuration or the table says. */
  artifacts?: readonly ArtifactKey[] | undefined;
};

/** The prompt of a role with its warnings; `describe` counts what it holds. */
export async function promptFor(project: Project, request: PromptRequest) {
  const dispatch = await dispatchOf(project, request);
  const feature = await readFeature(await findFeature(project, request));
  const compiled =
    dispatch.command === 'implementing'
      ? await compileTask(feature, request)
      : compileCall(dispatch, feature, request);
  const overrides = await readOverrides(path.join(project.root, 'prompts'));
  const prompt = compose(compiled.draft, {
    nonce: seededNonce(path.basename(feature.directory)),
    overrides,
  });
  const warnings = [...feature.meta.problems, ...compiled.warnings, ...overrideWarnings(overrides)];
  return {
    text: prompt.text,
    warnings,
    async describe() {
      const { loadExactCounter } = await import('../base/text/tokens.ts');
      const count = await loadExactCounter();
      return {
        command: dispatch.command,
        role: dispatch.role,
        description: compiled.description ?? dispatch.description,
        subagent_type: `iflow:${dispatch.agent ?? dispatch.role}`,
        model: dispatch.model,
        iteration: request.iteration,
        prompt: prompt.text,
        ...reportPrompt(prompt, count),
        tokenBasis: 'o200k, counted',
        artifacts: describeUses({ ...feature, ...compiled }).map((use) => ({
          ...use,
          ...(use.characters === undefined ? {} : { tokens: count(textOf(feature, use.name)) }),
        })),
        pruned: compiled.pruned,
        prd: feature.prd,
        warnings,
      };
    },
  };
}

function textOf({ files }: FeatureFiles, name: string): string {
  const file = files[name.replace(/\.md$/, '') as ArtifactKey];
  return file.kind === 'present' ? (file.text ?? '') : '';
}

/** T-034: the request wins over the configuration, which wins over the table: what is printed is what is sent. */
async function dispatchOf(project: Project, { command, role, artifacts }: PromptRequest): Promise<Dispatch> {
  const dispatch = dispatchFor(command, role);
  if (artifacts !== undefined) return { ...dispatch, required: [...artifacts] };
  return dispatchFor(command, role, (await settingsOf(project)).artifacts ?? {});
}

type Call = Compiled & { description?: string };

function compileCall(
  dispatch: Dispatch,
  feature: FeatureFiles,
  { iteration, max, transport, issues, outlines, files = [] }: PromptRequest,
): Call {
  if (iteration > max)
    throw new CharretteError({ code: 'usage', message: `--iteration ${iteration} is beyond --max ${max}.` });
  const compiled = compilePrompt({
    dispatch,
    files: feature.files,
    prd: feature.prd,
    transport,
    iteration: { iteration, max, ...(issues === undefined ? {} : { previousIssues: issues }) },
    implementationFiles: [...files],
    ...(issues === undefined ? {} : { issues }),
    ...(outlines === undefined ? {} : { outlines }),
    ...(dispatch.answer === 'research' ? { subject: textOf(feature, 'spec.md').slice(0, 20_000) } : {}),
  });
  const tasks = dispatch.target === 'tasks' ? textOf(feature, 'tasks.md') : '';
  const placeholders = findShellPlaceholders(tasks).map(
    ({ line, text }) => `tasks.md:${line} has a placeholder in a shell command: ${text}`,
  );
  return { ...compiled, warnings: [...compiled.warnings, ...placeholders] };
}

async function compileTask(
  feature: FeatureFiles,
  { task: wanted, files: workFiles = [] }: PromptRequest,
): Promise<Call> {
  const { files, prd, meta, directory } = feature;
  const tasks = parseTasks(textOf(feature, 'tasks.md'));
  const task = tasks.find(({ number }) => number === String(wanted ?? tasks[0]?.number));
  if (task === undefined) {
    const numbers = tasks.map(({ number }) => number).join(', ');
    throw new CharretteError({
      code: tasks.length === 0 ? 'artifact-missing' : 'not-found',
      message:
        tasks.length === 0
          ? 'tasks.md has no task headings (`### Task 1.1: …`).'
          : `Unknown task ${String(wanted)}; tasks are ${numbers}.`,
    });
  }
  const project = await readProject(directory, meta.meta);
  const compiled = compileTaskPrompt({
    task,
    scope: scopeTask(task, indexed(textOf(feature, 'plan.md')), indexed(textOf(feature, 'design.md'))),
    files,
    prd,
    workFiles: [...workFiles],
    ...(project === undefined ? {} : { projectContext: renderProjectContext(project) }),
  });
  return { ...compiled, inlined: [], pruned: [] };
}
