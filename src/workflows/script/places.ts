import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { World } from '../../agents/settings.ts';
import { userFolder } from '../../base/config/config.ts';
import { CharretteError } from '../../base/errors.ts';
import { isInside } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { readFrontMatter } from '../../base/text/frontmatter.ts';
import type { AgentType } from './inputs.ts';
import { inspectScript, maxScriptBytes } from './inspector.ts';

/** A workflow file that can be started by its name. */
export type WorkflowFile = {
  name: string;
  file: string;
  /** `user`: in your own folders, so its code is yours (W-142). That of a plug-in is not: it counts as the project's. */
  owner: 'project' | 'user';
};

const projectFolders = ['.charrette/workflows', '.claude/workflows', '.agents/workflows'];
export const workflowEnding = /(?:\.workflow)?\.(?:ts|mts|js|mjs)$/;

/** W-151: the nearest folder of the project first, then the user's own. */
function workflowFolders(
  cwd: string,
  root: string,
  world: World,
): { folder: string; owner: WorkflowFile['owner'] }[] {
  const upward: string[] = [];
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    upward.push(folder);
    if (folder === root || folder === path.dirname(folder)) break;
  }
  return [
    ...upward.flatMap((folder) =>
      projectFolders.map((name) => ({ folder: path.join(folder, name), owner: 'project' as const })),
    ),
    ...ownFolders(world).map((folder) => ({ folder, owner: 'user' as const })),
  ];
}

/** Your own workflow folders. */
function ownFolders({ environment, home }: World): string[] {
  return [
    path.join(userFolder(environment, home), 'workflows'),
    path.join(claudeFolder({ environment, home }), 'workflows'),
  ];
}

/** In a folder of your own, for workflows or for agent types. */
export function isOwn(file: string, world: World): boolean {
  return [...ownFolders(world), path.join(claudeFolder(world), 'agents')].some((folder) =>
    isInside(folder, file),
  );
}

/** A value that is not absolute would make files of the project your own. */
function claudeFolder({ environment, home }: Pick<World, 'environment' | 'home'>): string {
  const given = environment['CLAUDE_CONFIG_DIR'] ?? '';
  return path.isAbsolute(given) ? given : path.join(home, '.claude');
}

/** Workflow files of the plug-ins that Claude Code installed for you or for this project, as `plugin:name`. */
function pluginWorkflows(root: string, world: World): WorkflowFile[] {
  const registry = path.join(claudeFolder(world), 'plugins', 'installed_plugins.json');
  const reading = existsSync(registry) ? readJson(readFileSync(registry, 'utf8')) : undefined;
  const plugins = reading?.ok === true && isRecord(reading.value) ? reading.value['plugins'] : undefined;
  return Object.entries(isRecord(plugins) ? plugins : {}).flatMap(([id, installed]) => {
    const [plugin = id] = id.split('@');
    const installs: unknown[] = [installed].flat();
    const install = installs.filter(isRecord).find(({ projectPath = root }) => projectPath === root);
    const place = install?.['installPath'];
    if (typeof place !== 'string' || !path.isAbsolute(place)) return [];
    return workflowsIn(path.join(place, 'workflows'), 'project').map((each) => ({
      ...each,
      name: `${plugin}:${each.name}`,
    }));
  });
}

/** W-030: links are not followed, neither a file nor the folder. */
export function listWorkflows(cwd: string, root: string, world: World): WorkflowFile[] {
  const inFolders = workflowFolders(cwd, root, world).flatMap(({ folder, owner }) =>
    workflowsIn(folder, owner),
  );
  return [...inFolders, ...pluginWorkflows(root, world)];
}

export function workflowsIn(folder: string, owner: WorkflowFile['owner']): WorkflowFile[] {
  return filesIn(folder).map((name) => ({
    ...{ name: name.replace(workflowEnding, ''), file: path.join(folder, name), owner },
  }));
}

/** W-048: the file whose `meta` has this name, where no file has it itself. */
export function findByMeta(name: string, all: readonly WorkflowFile[]): WorkflowFile | undefined {
  return all.find(({ file }) => {
    const text = readFileSync(file, 'utf8').slice(0, maxScriptBytes);
    return text.includes(name) && inspectScript(file, text).meta?.name === name;
  });
}

/** The file of a name: project before user, the nearest folder first; two in one folder are an error (W-151). */
export function findWorkflow(name: string, cwd: string, root: string, world: World): WorkflowFile {
  const all = listWorkflows(cwd, root, world);
  const [first, ...others] = all.filter((each) => each.name === name);
  if (first === undefined) {
    const named = findByMeta(name, all);
    if (named !== undefined) return named;
    const names = [...new Set(all.map((each) => each.name))];
    throw new CharretteError({
      code: 'workflow-not-found',
      message: `No workflow ${JSON.stringify(name)}${names.length === 0 ? ' exists in this project' : `; there are ${names.join(', ')}`}.`,
    });
  }
  const twin = others.find(({ file }) => path.dirname(file) === path.dirname(first.file));
  if (twin === undefined) return first;
  throw new CharretteError({
    code: 'workflow-ambiguous',
    message: `Two files are the workflow ${JSON.stringify(name)}: ${first.file} and ${twin.file}.`,
  });
}

function filesIn(folder: string): string[] {
  try {
    if (!lstatSync(folder).isDirectory()) return [];
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && workflowEnding.test(entry.name) && !entry.name.endsWith('.d.ts'))
      .map((entry) => entry.name)
      .sort();
  } catch {
    return [];
  }
}

const maxAgentFiles = 200;
const maxAgentBytes = 128 * 1024;
const writing = ['write', 'edit', 'multiedit', 'notebookedit', 'bash'];

/** W-125: agent types of the project, then of the user; the nearest file of a name wins. */
export function readAgentTypes(root: string, world: World): Record<string, AgentType> {
  const folders = [
    path.join(root, '.charrette', 'agents'),
    path.join(root, '.claude', 'agents'),
    path.join(claudeFolder(world), 'agents'),
  ];
  const types: Record<string, AgentType> = {};
  for (const folder of folders)
    for (const name of markdownIn(folder).slice(0, maxAgentFiles)) {
      const file = path.join(folder, name);
      const text = readFileSync(file, 'utf8').slice(0, maxAgentBytes);
      const { data = {}, body } = readFrontMatter(text);
      const stated = typeof data['name'] === 'string' ? data['name'] : name.slice(0, -'.md'.length);
      if (!Object.hasOwn(types, stated)) types[stated] = typeOf(data, body, file);
    }
  return types;
}

function typeOf(data: Record<string, unknown>, body: string, file: string): AgentType {
  const { tools, model, effort } = data;
  const named = (
    Array.isArray(tools) ? tools.map(String) : typeof tools === 'string' ? tools.split(',') : undefined
  )?.map((tool) => tool.trim().toLowerCase().replace(/\(.*$/, ''));
  const writes = named === undefined || named.some((tool) => writing.includes(tool) || tool === '*');
  return {
    role: body.trim(),
    access: writes ? 'write' : 'read',
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof effort === 'string' ? { effort } : {}),
    file,
  };
}

function markdownIn(folder: string): string[] {
  try {
    if (!lstatSync(folder).isDirectory()) return [];
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
      .map((entry) => entry.name)
      .sort();
  } catch {
    return [];
  }
}

/** A workflow file by its path. It may be a link's target only where you named it yourself. */
export function readWorkflowText(file: string): string {
  const facts = lstatSync(file, { throwIfNoEntry: false });
  if (facts === undefined)
    throw new CharretteError({ code: 'workflow-not-found', message: `There is no file ${file}.` });
  if (!facts.isFile())
    throw new CharretteError({ code: 'workflow-not-found', message: `${file} is not a regular file.` });
  if (facts.size > maxScriptBytes)
    throw new CharretteError({
      code: 'workflow-limit',
      message: `${file} has ${facts.size} bytes; a workflow file has at most ${maxScriptBytes}.`,
    });
  return readFileSync(file, 'utf8');
}
