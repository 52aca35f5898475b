import type { Explore } from '../../base/schema/judgements/design.ts';
import type { Exploration, LitePlanAnswer } from '../../base/schema/judgements/lite.ts';
import type { Complexity } from '../../base/schema/lite/plan.ts';
import { filesFromDesign } from '../../plan/tasks/design-tasks.ts';
import { stepText } from '../../plan/tasks/task-text.ts';
import { briefAsPlan } from './brief.ts';
import type { Study } from './study.ts';
import { counted, headed, joined, nameOf, placesOf, reasonsOf } from './wording.ts';

/** What a search of the repository finds for a request. */
export function exploreFor(study: Study): Explore {
  const { title, targets, tests, precedents, nearby, index } = study;
  const found =
    targets.length === 0
      ? 'no source file matches'
      : `best matches are ${joined(targets.map((target) => placesOf(target, 1)))}`;
  const like = precedents[0] === undefined ? '' : ` Like "${precedents[0].subject}" (${precedents[0].id}).`;
  return {
    summary: headed(`"${title}": ${found}.${like}`),
    files: [
      ...targets.map((target) => ({
        path: target.path,
        role: `${reasonsOf(target)}; see ${placesOf(target)}.`,
        line: target.anchors[0]?.line ?? target.line,
      })),
      ...nearby.slice(0, 4).map((path) => ({ path, role: 'Near, probably not changed.', line: null })),
    ],
    conventions: conventionsOf(study),
    constraints: targets
      .filter(({ importers, surface }) => importers.length >= 3 || surface !== undefined)
      .map(
        ({ path, importers, surface }) =>
          `${path}: ${surface === undefined ? '' : `public (${surface.why}); `}imported by ${counted(importers.length, 'file')}.`,
      ),
    tests: tests.map(({ path, of, why }) => ({ path, covers: `${of} (${why})` })),
    unknowns: [
      `A search found where "${title}" belongs; it does not understand what it means.`,
      ...(index.snapshot.skipped.length === 0
        ? []
        : [`${counted(index.snapshot.skipped.length, 'file')} were not read.`]),
    ],
  };
}

function conventionsOf({ index, commands, tests }: Study): string[] {
  const documents = index.files
    .filter(({ path }) => /^(?:CONTRIBUTING|AGENTS|CLAUDE|STYLE|\.?editorconfig)[^/]*$/i.test(path))
    .map(({ path }) => path);
  return [
    ...(documents.length === 0 ? [] : [`The rules of the project are in ${joined(documents)}.`]),
    ...(tests[0] === undefined ? [] : [`${tests[0].path} shows the form of tests.`]),
    ...(commands.length === 0
      ? []
      : [`Verify changes with ${joined(commands.map(({ command }) => `\`${command}\``))}.`]),
  ];
}

/** The same search in the form of lite plan; it finds the same from every angle. */
export function explorationFor(study: Study): Exploration {
  const { targets, tests, nearby, newFile } = study;
  const look = exploreFor(study);
  const best = targets.reduce((most, { score }) => Math.max(most, score), 1e-9);
  const files: Exploration['relevant_files'] = [
    ...targets.map((target) => ({
      path: target.path,
      relevance: Math.round((100 * target.score) / best),
      rationale: `Changes: ${reasonsOf(target)}.`,
      role: 'modify_target' as const,
      key_symbols: target.anchors.slice(0, 5).map(nameOf),
    })),
    ...tests.slice(0, 4).map(({ path, of }) => file(path, 50, `Tests ${of}.`, 'test_target')),
    ...nearby.slice(0, 3).map((path) => file(path, 20, 'Near, probably not changed.', 'context_only')),
  ];
  const nothing = 'The search found none.';
  return {
    project_structure: look.summary,
    relevant_files:
      files.length > 0 ? files : [file(newFile, 10, 'Nothing matches; this file is new.', 'context_only')],
    patterns: look.conventions.join(' ') || nothing,
    dependencies:
      targets
        .map(({ path, importers }) => `${path} is imported by ${joined(importers.slice(0, 4)) || 'nothing'}.`)
        .join(' ') || nothing,
    integration_points: targets.map((target) => placesOf(target)).join('; ') || nothing,
    constraints: look.constraints.join(' ') || nothing,
    clarification_needs: [],
  };
}

function file(
  path: string,
  relevance: number,
  rationale: string,
  role: Exploration['relevant_files'][number]['role'],
): Exploration['relevant_files'][number] {
  return { path, relevance, rationale, role, key_symbols: [] };
}

/** The brief, cut into tasks: the files of a folder together, tests last. */
export function litePlanFor(study: Study, complexity: Complexity): LitePlanAnswer {
  const plan = briefAsPlan(study, { alone: true });
  const facts = { session: 'static', timestamp: '', complexity, angles: [], baseCommit: undefined };
  const { tasks } = filesFromDesign(plan, facts);
  return {
    summary: plan.summary,
    approach: plan.approach,
    estimated_time: `${tasks.length * 30} minutes (counted, not judged)`,
    tasks: tasks.map((task) => ({
      id: task.id,
      title: task.title.slice(0, 200),
      description: task.description.slice(0, 8000),
      action: task.action ?? 'Update',
      scope: String(task.scope ?? 'the repository').slice(0, 400),
      depends_on: task.depends_on,
      files: (task.files ?? []).map(({ path, action, change }) => ({
        path,
        action: action ?? (study.index.byPath.has(path) ? 'modify' : 'create'),
        change: (change ?? task.title).slice(0, 4000),
      })),
      implementation: (task.implementation ?? []).map((step) => stepText(step).slice(0, 2000)),
      criteria: task.convergence.criteria.map((text) => text.slice(0, 1000)),
      rationale: 'These files match the request; no one has judged whether they are the right ones.',
      tests: (task.test?.unit ?? ['Run the existing tests.']).map((text) => text.slice(0, 1000)),
      commands: plan.commands.map(({ command }) => command).slice(0, 10),
      risks: plan.failureModes.slice(0, 3).map(({ failure, mitigation }) => ({
        description: failure.slice(0, 1000),
        probability: 'Medium' as const,
        impact: 'Medium' as const,
        mitigation: mitigation.slice(0, 1000),
      })),
      skeleton: plan.symbols.map(({ name }) => name).slice(0, 5),
    })),
    design_decisions: [
      { decision: 'One task per folder', rationale: 'Files of a folder change together.', tradeoff: null },
    ],
    data_flow:
      complexity === 'High'
        ? plan.files
            .map(({ path }) => path)
            .join(' → ')
            .slice(0, 4000)
        : null,
  };
}
