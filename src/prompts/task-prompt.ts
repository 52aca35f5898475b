import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { containedPath, isMissing, readTextFile } from '../base/files/bounded.ts';
import { outline, sectionBody } from '../base/markdown/sections.ts';
import { type ArtifactFiles, type ArtifactKey, artifacts, sideFiles } from './artifacts.ts';
import { filesPart } from './compile.ts';
import { type FeatureMeta, readMeta } from './feature/meta.ts';
import type { PrdResolution } from './feature-files.ts';
import { data, type Part, type PromptDraft, readable, words } from './part.ts';
import { completenessHeader, requiredArtifactsPart } from './required-artifacts.ts';
import { taskDispatch } from './roles/implement.ts';
import { implementerReport } from './roles/shapes.ts';
import type { ScopedArtifact, Task, TaskScope } from './sections/tasks.ts';

export type TaskPromptInput = {
  task: Task;
  scope: TaskScope;
  files: ArtifactFiles;
  prd: PrdResolution;
  /** The rendered block, for features that belong to a project. */
  projectContext?: string;
  /** T-010: where the work is expected to happen. */
  workFiles?: readonly string[];
  /** lean/C-16: what replaces a document without a section: the order to read it, or (parity) its whole text. */
  fallback?: 'reference' | 'inline';
};

export type CompiledTask = {
  draft: PromptDraft;
  description: string;
  expected: readonly ArtifactKey[];
  warnings: readonly string[];
};

/** T-051…T-054, lean/C-17: one task, with the parts of design and plan it needs and references to PRD and specification. */
export function compileTaskPrompt(input: TaskPromptInput): CompiledTask {
  const { task, scope, files, prd, projectContext, workFiles = [], fallback = 'reference' } = input;
  const context = (['design', 'plan'] as const).map((key) => contextPart(key, scope[key], files, fallback));
  return {
    draft: {
      task: 'implementing/implementer',
      fixed: [
        words('role', taskDispatch.rubric),
        ...requiredArtifactsPart({ keys: taskDispatch.required, files, prd, reads: 'work' }),
        ...(projectContext === undefined
          ? []
          : [
              { ...data('project_context', projectContext, { heading: 'Project Context' }), protected: true },
            ]),
      ],
      answer: { kind: 'text', rules: implementerReport },
      changing: [
        ...context.flatMap(({ part }) => part),
        words('task', readable(task.text.trimEnd()), 'Task'),
        ...(task.doneWhen === undefined ? [] : [words('done-when', readable(task.doneWhen), 'Done When')]),
        ...(workFiles.length === 0 ? [] : [filesPart('Files to Work On', workFiles)]),
      ],
    },
    description: `Implement task ${task.number}: ${task.title}`,
    expected: [
      ...(prd.kind === 'path' || prd.kind === 'fallback' ? (['prd'] as const) : []),
      ...(files.spec.kind === 'present' ? (['spec'] as const) : []),
      ...context.flatMap(({ reads }) => reads),
    ],
    warnings: scope.warnings,
  };
}

function contextPart(
  key: 'design' | 'plan',
  scoped: ScopedArtifact,
  files: ArtifactFiles,
  fallback: 'reference' | 'inline',
): { part: Part[]; reads: ArtifactKey[] } {
  const heading = `${artifacts[key].label} Context (scoped)`;
  if (scoped.kind === 'sections') {
    return { part: [data(`${key}_sections`, scoped.text, { heading })], reads: [] };
  }
  const file = files[key];
  if (file.kind !== 'present') return { part: [], reads: [] };
  if (fallback === 'inline' && file.text !== undefined) {
    const text = completenessHeader(artifacts[key].file, file.text);
    return { part: [data(`artifact_${key}`, file.text, { heading, text })], reads: [] };
  }
  const text = `No single section is known for this task. You MUST read ${artifacts[key].file} in full and confirm it too: ${file.path}`;
  return { part: [words(`${key}-context`, text, heading)], reads: [key] };
}

/** What an implementer should know about the project a feature belongs to. */
type ProjectFacts = {
  project?: string;
  feature: string;
  goals: readonly string[];
  dependencies?: { completed: readonly string[]; inProgress: readonly string[]; blocked: readonly string[] };
  /** The line of the roadmap about this feature, if it has one. `undefined` roadmap: the line is omitted. */
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

/** T-066, T-068: what the folders next to a feature say about its project; `undefined` for a feature without one. */
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

/** A file that cannot be read, or that a link brings from elsewhere, counts as missing. */
async function readQuietly(folder: string, name: string): Promise<string | undefined> {
  try {
    return await readTextFile(await containedPath(folder, name), 1024 * 1024);
  } catch {
    return undefined;
  }
}

/** Beyond this an answer is read at its beginning and its end only. */
const window = 1024 * 1024;

/** An answer of any size as text: whole, or the first and last megabyte. Never loads 100 MB to look for one line. */
export async function readExcerpt(file: string): Promise<string> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const facts = await handle.stat();
      if (!facts.isFile()) {
        throw new CharretteError({ code: 'not-found', message: `${file} is not a regular file.` });
      }
      if (facts.size <= 2 * window) return (await handle.readFile()).toString('utf8');
      const buffer = Buffer.alloc(window);
      const head = await handle.read(buffer, 0, window, 0);
      const beginning = buffer.toString('utf8', 0, head.bytesRead);
      const tail = await handle.read(buffer, 0, window, facts.size - window);
      return `${beginning}\n${buffer.toString('utf8', 0, tail.bytesRead)}`;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) throw new CharretteError({ code: 'not-found', message: `${file} does not exist.` });
    throw error;
  }
}
