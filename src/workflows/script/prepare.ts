import { existsSync } from 'node:fs';
import path from 'node:path';
import type { World } from '../../agents/settings.ts';
import { loadConfig } from '../../base/config/config.ts';
import { CharretteError } from '../../base/errors.ts';
import { isInside } from '../../base/files/bounded.ts';
import { headCommit } from '../../repo/git/repository-facts.ts';
import { agentNames, rosterOf } from '../roster.ts';
import type { AgentType, ModelTarget, ScriptAccess, ScriptCopy, ScriptInputs } from './inputs.ts';
import type { Inspection } from './inspect.ts';
import { digestOf, inspectScript, requireRunnable } from './inspector.ts';
import {
  findByMeta,
  findWorkflow,
  isOwn,
  listWorkflows,
  readAgentTypes,
  readWorkflowText,
  type WorkflowFile,
  workflowEnding,
  workflowsIn,
} from './places.ts';
import { isAllowed } from './trust.ts';

/** A workflow file with what can be known of it before it runs. */
export type LoadedWorkflow = {
  name: string;
  file: string;
  /** `user`: your own, as is every file that it can start or take a role from (W-142). */
  owner: WorkflowFile['owner'];
  text: string;
  inspection: Inspection & Required<Pick<Inspection, 'meta'>>;
  children: Record<string, ScriptCopy>;
  agentTypes: Record<string, AgentType>;
  digest: string;
};

export type LoadOptions = {
  /** A name, a path, or `-` with the text of stdin. */
  target: string;
  stdin?: string;
  cwd: string;
  project: string;
  world: World;
};

/** Reads a workflow with everything that it names: the workflows it starts and the agent types of the project. */
export function loadWorkflow({ target, stdin, cwd, project, world }: LoadOptions): LoadedWorkflow {
  const found = locate(target, cwd, project, world);
  const text = target === '-' ? (stdin ?? '') : readWorkflowText(found.file);
  const shown = target === '-' ? 'stdin.ts' : nameOf(found.file, project);
  const inspection = requireRunnable(shown, text);
  const beside = target === '-' ? [] : workflowsIn(path.dirname(found.file), found.owner);
  const children = childrenOf(inspection, [...listWorkflows(cwd, project, world), ...beside], {
    ...{ cwd, project, own: found.file },
  });
  const agentTypes = readAgentTypes(project, world);
  const parts = [
    ...Object.entries(children).flatMap(([name, { digest }]) => [name, digest]),
    ...Object.entries(agentTypes).flatMap(([name, { role, access }]) => [name, access, role]),
  ];
  const isAllOwn = [...Object.values(children), ...Object.values(agentTypes)].every((each) =>
    isOwn(path.resolve(project, each.file), world),
  );
  const name = target === '-' ? inspection.meta.name : found.name;
  return {
    name,
    file: shown,
    owner: isAllOwn ? found.owner : 'project',
    text,
    inspection,
    children,
    agentTypes,
    digest: digestOf(text, ...parts),
  };
}

function locate(target: string, cwd: string, project: string, world: World): WorkflowFile {
  if (target === '-') return { name: '-', file: '-', owner: 'user' };
  const isPath = target.includes('/') || workflowEnding.test(target);
  if (!isPath) return findWorkflow(target, cwd, project, world);
  const file = path.resolve(cwd, target);
  const name = path.basename(file).replace(workflowEnding, '');
  return { name, file, owner: isOwn(file, world) ? 'user' : 'project' };
}

/**
 * W-023: every workflow that a file may start. A name that is only known when the file runs can be any workflow of the project; one
 * that nothing has fails when the script gets there.
 */
function childrenOf(
  { children, computesChildren }: Inspection,
  all: readonly WorkflowFile[],
  { cwd, project, own }: { cwd: string; project: string; own: string },
): Record<string, ScriptCopy> {
  const others = all.filter(({ file }) => file !== own);
  const possible = others.map(({ name }) => name).filter((name) => !name.includes(':'));
  const names = new Set([...children, ...(computesChildren ? possible : [])]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const file = childFile(name, others, { cwd, project });
      if (file === undefined) return [];
      const text = readWorkflowText(file);
      const shown = nameOf(file, project);
      const { problems, body, form } = inspectScript(shown, text);
      const isBroken = problems.some(({ kind }) => kind !== 'warning');
      return isBroken ? [] : [[name, { file: shown, body, form, digest: digestOf(text) }]];
    }),
  );
}

/** By path, then by the name of the file, then by the name in its `meta` (W-048). */
function childFile(
  name: string,
  all: readonly WorkflowFile[],
  { cwd, project }: { cwd: string; project: string },
): string | undefined {
  if (workflowEnding.test(name)) {
    const file = path.resolve(cwd, name);
    return existsSync(file) && isInside(project, file) ? file : undefined;
  }
  const bare = name.slice(name.indexOf(':') + 1);
  const named = all.find((each) => each.name === name) ?? all.find((each) => each.name === bare);
  return (named ?? findByMeta(bare, all))?.file;
}

function nameOf(file: string, project: string): string {
  return isInside(project, file) ? path.relative(project, file) : file;
}

export type ScriptFlags = {
  agents?: string;
  access?: ScriptAccess;
  /** `name=target`, repeated. */
  model?: readonly string[];
  strictModels?: boolean;
  budget?: number;
  maxTokens?: number;
  maxUsd?: number;
  trust?: string;
  fromRun?: string;
  acceptDegraded?: boolean;
  prefix?: boolean;
};

/** Settles everything that a run of a workflow file needs, before anything runs. */
export async function prepareScript({
  loaded,
  args,
  project,
  flags,
  world,
  configFile,
  consented,
}: {
  loaded: LoadedWorkflow;
  args: unknown;
  project: string;
  flags: ScriptFlags;
  world: World;
  configFile?: string | undefined;
  consented: boolean;
}): Promise<ScriptInputs> {
  const { config } = await loadConfig({ project, env: world.environment, file: configFile });
  const { name, owner, inspection, children, agentTypes, digest, text } = loaded;
  const { maxTokens = config.limits?.maxTokens, maxUsd = config.limits?.maxUsd } = flags;
  const baseCommit = await headCommit(project).catch(() => undefined);
  const writes = inspection.agentTypes.some((type) => agentTypes[type]?.access === 'write');
  return {
    roster: rosterOf(config, world, agentNames(flags.agents)),
    project,
    parallel: config.limits?.parallel ?? 8,
    ...(flags.fromRun === undefined ? {} : { fromRun: flags.fromRun }),
    acceptDegraded: flags.acceptDegraded ?? config.acceptDegraded ?? false,
    name,
    script: { file: loaded.file, body: inspection.body, form: inspection.form, digest: digestOf(text) },
    children,
    agentTypes,
    ...(args === undefined ? {} : { args }),
    ...(flags.access === undefined ? {} : { access: flags.access }),
    recommendedAccess: inspection.usesWorktree || writes ? 'branch' : 'read',
    models: { ...config.workflow?.models, ...readModels(flags.model ?? []) },
    tiers: config.workflow?.tiers ?? {},
    strictModels: flags.strictModels === true,
    prefix: flags.prefix === true,
    ...(flags.budget === undefined ? {} : { budgetTokens: flags.budget }),
    digest,
    trusted: owner === 'user' || isTrusted(flags.trust, digest) || isAllowed(world, project, digest),
    consented: consented || config.consent === true,
    ...(baseCommit === undefined ? {} : { baseCommit }),
    ...(config.limits?.agentSeconds === undefined ? {} : { agentSeconds: config.limits.agentSeconds }),
    ...(config.prices === undefined ? {} : { prices: config.prices }),
    budget: {
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(maxUsd === undefined ? {} : { maxUsd }),
    },
    about: {
      description: inspection.meta.description,
      phases: inspection.meta.phases.map(({ title }) => title),
      ...inspection.counts,
      source: text,
    },
  };
}

/** A pin that does not match is an error: the user who pinned it wants to know. */
function isTrusted(pin: string | undefined, digest: string): boolean {
  if (pin === undefined) return false;
  if (/^[0-9a-f]{12,64}$/.test(pin) && digest.startsWith(pin)) return true;
  throw new CharretteError({
    code: 'workflow-changed',
    message: `--trust names ${JSON.stringify(pin)}; this workflow has the digest ${digest}.`,
  });
}

function readModels(pairs: readonly string[]): Record<string, ModelTarget> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, agent] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
      if (name !== undefined && agent !== undefined) return [name, agent];
      throw new CharretteError({
        code: 'usage',
        message: `--model takes NAME=AGENT, not ${JSON.stringify(pair)}.`,
      });
    }),
  );
}
