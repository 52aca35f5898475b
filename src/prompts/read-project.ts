import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../base/files/bounded.ts';
import { containedPath, isMissing } from '../base/files/contained.ts';
import { outline, sectionBody } from '../base/markdown/sections.ts';
import { sideFiles } from './artifacts.ts';
import { type FeatureMeta, readMeta } from './feature/meta.ts';

/** What an implementer should know about the project a feature belongs to. */
type ProjectFacts = {
  project?: string;
  feature: string;
  goals: readonly string[];
  dependencies?: { completed: readonly string[]; inProgress: readonly string[]; blocked: readonly string[] };
  /** The line of the roadmap about this feature; absent: it has none. `undefined` roadmap: the line is left out. */
  roadmap?: { signal?: string };
};

/** T-066: about 500 tokens at four characters each. */
const mostCharacters = 2_000;
const mostGoals = 3;

/** T-066…T-068: the block in its fixed form; whatever is not known leaves only its own line out. */
export function renderProjectContext(facts: ProjectFacts): string {
  const full = lines(facts, (names) => names.join(', ') || 'none', facts.goals);
  if (full.length <= mostCharacters) return full;
  const counted = lines(facts, (names) => String(names.length), facts.goals);
  if (counted.length <= mostCharacters) return counted;
  const shortGoals = facts.goals.slice(0, mostGoals).map((goal) => cut(goal, 200));
  return cut(
    lines(facts, (names) => String(names.length), shortGoals),
    mostCharacters,
  );
}

function lines(
  { project, feature, dependencies, roadmap }: ProjectFacts,
  show: (names: readonly string[]) => string,
  goals: readonly string[],
): string {
  return [
    `${project === undefined ? '' : `**Project:** ${project} | `}**This feature:** ${feature}`,
    ...(goals.length === 0 ? [] : [`**Project goals:** ${goals.join('; ')}`]),
    ...(dependencies === undefined
      ? []
      : [
          `**Feature dependencies:** completed: ${show(dependencies.completed)} | in-progress: ${show(dependencies.inProgress)} | blocked: ${show(dependencies.blocked)}`,
        ]),
    ...(roadmap === undefined ? [] : [`**Priority signal:** ${roadmap.signal ?? 'not on roadmap'}`]),
  ].join('\n');
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** T-066, T-068: what the folders beside a feature say about its project; `undefined` for a feature without one. */
export async function readProject(
  featureDirectory: string,
  meta: FeatureMeta,
): Promise<ProjectFacts | undefined> {
  const id = meta.projectId;
  if (id === undefined) return undefined;
  const features = path.dirname(featureDirectory);
  const projects = path.join(path.dirname(features), 'projects');
  const name = (await namesIn(projects)).find((entry) => entry === id || entry.startsWith(`${id}-`));
  const read = (file: string) =>
    name === undefined ? undefined : readQuietly(path.dirname(features), path.join('projects', name, file));
  const [prd, roadmap] = await Promise.all([read('prd.md'), read('roadmap.md')]);
  const feature = path.basename(featureDirectory);
  const dependencies =
    meta.dependsOnFeatures.length === 0
      ? undefined
      : await dependencyStates(features, meta.dependsOnFeatures);
  return {
    ...(name === undefined ? {} : { project: name }),
    feature,
    goals: goalsOf(prd ?? ''),
    ...(dependencies === undefined ? {} : { dependencies }),
    ...(roadmap === undefined ? {} : { roadmap: roadmapSignal(roadmap, feature) }),
  };
}

function goalsOf(prd: string): string[] {
  const section = outline(prd).find(({ title }) => /^(?:project )?goals?\b/i.test(title));
  if (section === undefined) return [];
  return sectionBody(prd, section)
    .split('\n')
    .map((line) => /^\s*(?:[-*]|\d+\.)\s+(.+)$/.exec(line)?.[1]?.trim())
    .filter((goal) => goal !== undefined)
    .slice(0, 12);
}

function roadmapSignal(roadmap: string, feature: string): { signal?: string } {
  const line = roadmap.split('\n').find((candidate) => candidate.includes(feature));
  const signal = line?.replace(/^[\s#*|-]+/, '').trim();
  return signal === undefined || signal === '' ? {} : { signal: signal.slice(0, 200) };
}

async function dependencyStates(features: string, names: readonly string[]) {
  const states = await Promise.all(
    names.map(async (name) => {
      const safe = path.basename(name);
      const { meta } = readMeta(await readQuietly(features, path.join(safe, sideFiles.state)));
      return { name: safe, status: meta.status };
    }),
  );
  const of = (wanted: (status: FeatureMeta['status']) => boolean) =>
    states.filter(({ status }) => wanted(status)).map(({ name }) => name);
  return {
    completed: of((status) => status === 'completed'),
    inProgress: of((status) => status === 'active'),
    blocked: of((status) => status !== 'completed' && status !== 'active'),
  };
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** A piece that cannot be read, or that a link brings from elsewhere, is a piece that is not there. */
async function readQuietly(folder: string, name: string): Promise<string | undefined> {
  try {
    return await readTextFile(await containedPath(folder, name), 1024 * 1024);
  } catch {
    return undefined;
  }
}
