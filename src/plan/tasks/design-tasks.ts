import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { LiteTask } from '../../base/schema/lite/plan.ts';
import { assemble, firstLine, type LitePlanFiles, type PlanFacts } from './plan-files.ts';

type DesignFile = Plan['files'][number];

/** P-065: so many files are one task, however many folders they are in. */
const oneTask = 6;
const isDocument = ({ path }: { path: string }) => /\.(?:mdx?|rst|adoc)$/i.test(path);

/**
 * The plan of a design run as tasks. A small change is one task; a large one is cut by folder, and what only changes files
 * waits for what makes new ones. Tests and documents come after the code.
 */
export function filesFromDesign(design: Plan, facts: PlanFacts): LitePlanFiles {
  const testPaths = new Set(design.tests.map(({ path }) => path));
  const rest = design.files.filter(({ path }) => !testPaths.has(path));
  const code = rest.filter((file) => !isDocument(file));
  const documents = code.length === 0 ? [] : rest.filter(isDocument);
  const main = code.length > 0 ? code : rest.length > 0 ? rest : design.files;
  const groups = groupFiles(main);
  const makers = groups.filter((files) => files.some(({ action }) => action === 'new'));
  const ordered = [...makers, ...groups.filter((group) => !makers.includes(group))];
  const tasks = ordered.map((files, index) =>
    codeTask(
      design,
      ordered.length === 1 ? design.title : titleOf(files),
      files,
      index,
      index < makers.length ? [] : makers.map((_, at) => idOf(at)),
    ),
  );
  const codeIds = tasks.map(({ id }) => id);
  const followers = [
    ...(rest.length === 0 || design.tests.length === 0 ? [] : [testTask]),
    ...(documents.length === 0 ? [] : [documentTask]),
  ].map((make, index) => make(idOf(tasks.length + index), design, codeIds, documents));
  return assemble(
    {
      title: design.title,
      summary: design.summary,
      approach: design.approach,
      ...(design.decisions.length === 0
        ? {}
        : {
            design_decisions: design.decisions.map(({ id, honoured }) => ({
              decision: id,
              rationale: honoured,
            })),
          }),
      ...(design.edgeCases.length === 0 ? {} : { edge_cases: design.edgeCases }),
    },
    [...tasks, ...followers],
    facts,
    { source: 'action-planning-agent', planning_mode: 'agent-based' },
  );
}

function groupFiles(files: readonly DesignFile[]): DesignFile[][] {
  if (files.length <= oneTask) return [[...files]];
  const folders = [...Map.groupBy(files, ({ path }) => folderOf(path)).entries()];
  // A folder with one file goes with its neighbours below the same top folder.
  const lone = folders.filter(([, own]) => own.length === 1).flatMap(([, own]) => own);
  const merged = [...Map.groupBy(lone, ({ path }) => path.split('/')[0] ?? '').values()];
  return [...folders.filter(([, own]) => own.length > 1).map(([, own]) => own), ...merged].toSorted(
    (a, b) => files.indexOf(a[0] as DesignFile) - files.indexOf(b[0] as DesignFile),
  );
}

function codeTask(
  design: Plan,
  title: string,
  files: readonly DesignFile[],
  index: number,
  depends_on: string[],
): LiteTask {
  const paths = new Set(files.map(({ path }) => path));
  const added = design.symbols.filter(
    ({ state, file }) => state === 'new' && file !== null && paths.has(file),
  );
  const commands = design.commands.map(({ command }) => command);
  return {
    id: idOf(index),
    title,
    description: `${design.summary}\n\n${design.approach}`,
    action: files.every(({ action }) => action === 'new') ? 'Create' : 'Update',
    scope: [...new Set(files.map(({ path }) => folderOf(path)))],
    depends_on,
    files: files.map(({ path, action, description }) => ({
      path,
      action: action === 'new' ? ('create' as const) : action,
      change: description,
    })),
    implementation: [
      ...files.map(({ path, description }) => `${path}: ${description}`),
      ...(design.edgeCases.length === 0 ? [] : [`Handle: ${design.edgeCases.slice(0, 12).join('; ')}`]),
      'Leave everything else unchanged.',
    ],
    convergence: {
      criteria: [...files.map(criterionOf), ...added.map(({ name, file }) => `${file} defines \`${name}\``)],
    },
    rationale: { chosen_approach: firstLine(design.approach) },
    test: { commands },
    ...(added.length === 0 ? {} : { code_skeleton: { key_functions: added.map(({ name }) => name) } }),
    risks: design.failureModes.map(({ failure, mitigation }) => ({ description: failure, mitigation })),
  };
}

function testTask(id: string, design: Plan, depends_on: string[]): LiteTask {
  const { testing, tests, edgeCases } = design;
  const commands = design.commands.map(({ command }) => command);
  return {
    id,
    title: `Test it in ${listed(tests.map(({ path }) => path))}`,
    description: testing,
    action: 'Test',
    scope: [...new Set(tests.map(({ path }) => folderOf(path)))],
    depends_on,
    files: tests.map(({ path, description }) => ({ path, change: description })),
    implementation: [
      ...tests.map(({ path, description }) => `${path}: ${description}`),
      `Cover: ${edgeCases.length === 0 ? 'the changed behaviour' : edgeCases.slice(0, 12).join('; ')}`,
    ],
    convergence: {
      criteria: [
        ...tests.map(({ path, description }) => `${path} tests this: ${firstLine(description)}`),
        ...commands.map((command) => `\`${command}\` exits with 0`),
      ],
    },
    rationale: { chosen_approach: firstLine(testing) },
    test: { commands, unit: tests.map(({ description }) => description) },
  };
}

function documentTask(
  id: string,
  design: Plan,
  depends_on: string[],
  documents: readonly DesignFile[],
): LiteTask {
  return {
    id,
    title: `Describe it in ${listed(documents.map(({ path }) => path))}`,
    description: design.summary,
    action: 'Update',
    type: 'docs',
    scope: [...new Set(documents.map(({ path }) => folderOf(path)))],
    depends_on,
    files: documents.map(({ path, action, description }) => ({
      path,
      action: action === 'new' ? ('create' as const) : action,
      change: description,
    })),
    implementation: [
      'Read what the code does now.',
      ...documents.map(({ path, description }) => `${path}: ${description}`),
    ],
    convergence: { criteria: documents.map(criterionOf) },
    rationale: { chosen_approach: 'Documents follow the code.' },
    test: { commands: [] },
  };
}

function criterionOf({ path, action, description }: DesignFile): string {
  if (action === 'delete') return `${path} is gone`;
  return `${path} ${action === 'new' ? 'exists with this' : 'has this change'}: ${firstLine(description)}`;
}

const verbs = { new: 'Add', modify: 'change', delete: 'remove' } as const;

/** "Add src/limit.ts, change src/server.ts". */
function titleOf(files: readonly DesignFile[]): string {
  const parts = (['new', 'modify', 'delete'] as const).flatMap((kind) => {
    const paths = files.filter(({ action }) => action === kind).map(({ path }) => path);
    return paths.length === 0 ? [] : [`${verbs[kind]} ${listed(paths)}`];
  });
  const title = parts.join(', ');
  return `${title.slice(0, 1).toUpperCase()}${title.slice(1)}`;
}

const listed = (paths: readonly string[]) =>
  paths.length <= 3 ? paths.join(' and ') : `${paths.slice(0, 2).join(', ')} and ${paths.length - 2} more`;

const idOf = (index: number) => `TASK-${String(index + 1).padStart(3, '0')}`;

function folderOf(path: string): string {
  const at = path.lastIndexOf('/');
  return at < 0 ? 'top folder' : path.slice(0, at);
}
