// Documents, skill packages and tasks.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LitePlanAnswer } from '../../src/base/schema/judgements/lite.ts';
import type { Plan } from '../../src/base/schema/judgements/plan.ts';
import { readPlan, renderPlan } from '../../src/plan/plan-text.ts';
import { filesFromAnswer } from '../../src/plan/tasks/plan-files.ts';
import { readPlanFiles } from '../../src/plan/tasks/read-plan.ts';
import { dependencyProblems, scheduleTasks, wavesOf } from '../../src/plan/tasks/schedule.ts';
import { loadDesignContext } from '../../src/prompts/context/load.ts';
import { completeConfig } from '../../src/skills/config/complete-config.ts';
import { generatePackage } from '../../src/skills/generate/skill-markdown.ts';
import { lintPaths } from '../../src/skills/lint/lint-paths.ts';
import { todoOf } from '../../src/workflows/build/rules/todo.ts';
import { panelAnswer } from '../../test/agents/panel-answers.mjs';
import { filler } from '../corpus/documents.ts';
import { seededRandom } from '../corpus/random.ts';
import type { Dimension, Prepared } from './dimension.ts';
import { spread } from './sizes.ts';

/** Dimensions that need a folder to work in. */
export function texts(workspace: string): Dimension[] {
  return [
    {
      what: 'document size, KB',
      work: 'design context: four documents read and packed into a budget',
      sizes: spread(10, 2560),
      prepare: (size) => designDocuments(workspace, size),
    },
    {
      what: 'document size, KB',
      work: 'a plan rendered and read',
      sizes: spread(1, 256),
      prepare: (size) => {
        const plan = { ...(panelAnswer('plan', '') as Plan), approach: filler(seededRandom(3), size * 1000) };
        return { act: () => readPlan(renderPlan(plan)) };
      },
    },
    {
      what: 'packages',
      work: '`skill lint --all`',
      sizes: spread(5, 80),
      prepare: (size) => skillPackages(workspace, size),
    },
    {
      what: 'size of a package, KB',
      work: '`skill lint` of one package',
      sizes: spread(50, 800),
      prepare: (size) => skillPackages(workspace, 1, size),
    },
    {
      what: 'tasks of a lite plan',
      work: 'files made, checked and read, waves, batches, to-do list',
      sizes: spread(10, 900),
      prepare: (size) => litePlan(size, (index) => (index < 3 ? [] : [index - 3])),
    },
    {
      what: 'tasks of a lite plan',
      work: 'the same, all in one wave',
      sizes: spread(10, 900),
      prepare: (size) => litePlan(size, () => []),
    },
    {
      what: 'tasks of a lite plan',
      work: 'the same, each after the one before',
      sizes: spread(10, 900),
      prepare: (size) => litePlan(size, (index) => (index === 0 ? [] : [index - 1])),
    },
  ];
}

function designDocuments(workspace: string, size: number): Prepared {
  const root = mkdtempSync(path.join(workspace, 'documents-'));
  const folder = path.join(root, '.moai', 'design');
  mkdirSync(folder, { recursive: true });
  const random = seededRandom(5);
  for (const token of ['spec', 'system', 'research', 'pencil-plan'])
    writeFileSync(path.join(folder, `${token}.md`), `# ${token}\n\n${filler(random, (size * 1000) / 4)}\n`);
  return { act: () => loadDesignContext({ root }), clean: () => rmSync(root, { recursive: true }) };
}

function skillPackages(workspace: string, count: number, size = 60): Prepared {
  const root = mkdtempSync(path.join(workspace, 'packages-'));
  const random = seededRandom(7);
  for (let index = 0; index < count; index += 1) {
    const { config } = completeConfig({
      skillName: `package-${index}`,
      description: `Does job number ${index}`,
      triggers: [`job:${index}`],
      phases: Array.from({ length: 5 }, (_, phase) => ({
        name: `Stage ${phase} of job ${index}`,
        description: `Runs stage ${phase}`,
        outputVariables: [`value${phase}`],
        agentTypes: ['general-purpose'],
      })),
    });
    const files = [...generatePackage(config)];
    for (const [file, text] of files) {
      const target = path.join(root, config.skillName, file);
      mkdirSync(path.dirname(target), { recursive: true });
      const left = (size * 1000) / files.length - text.length;
      writeFileSync(target, left > 0 ? `${text}\n${filler(random, left)}\n` : text);
    }
  }
  return {
    act: () => lintPaths({ paths: [], roots: [root], cwd: root }),
    clean: () => rmSync(root, { recursive: true }),
  };
}

function litePlan(count: number, before: (index: number) => number[]): Prepared {
  const id = (index: number) => `TASK-${String(index + 1).padStart(3, '0')}`;
  const answer: LitePlanAnswer = {
    summary: 'Numbers and their total.',
    approach: 'One file each.',
    estimated_time: '1 hour',
    tasks: Array.from({ length: count }, (_, index) => ({
      id: id(index),
      title: `Add number ${index}`,
      description: `Write src/number-${index}.ts and export its value.`,
      action: 'Create',
      scope: 'src',
      depends_on: before(index).map(id),
      files: [{ path: `src/number-${index}.ts`, action: 'create', change: 'The value.' }],
      implementation: ['Write the file.', 'Export the value.'],
      criteria: [`src/number-${index}.ts exports ${index}`],
      rationale: 'Small files are easy to read.',
      tests: [`number ${index} is ${index}`],
      commands: ['npm test'],
      risks: [],
      skeleton: [],
    })),
    design_decisions: [{ decision: 'One file each.', rationale: 'Simple.', tradeoff: null }],
    data_flow: null,
  };
  const facts = {
    session: 'growth-2026-01-01',
    complexity: 'Medium' as const,
    timestamp: '2026-01-01T00:00:00Z',
    angles: [],
    baseCommit: undefined,
  };
  return {
    act: () => {
      const { plan, tasks } = filesFromAnswer(answer, facts);
      const texts = tasks.map((task) => ({ file: `${task.id}.json`, text: JSON.stringify(task) }));
      const { files } = readPlanFiles(JSON.stringify(plan), texts);
      dependencyProblems(files.tasks);
      wavesOf(files.tasks);
      const rounds = scheduleTasks(files.tasks, { executorOf: () => 'one', cap: 4, tasksPerBatch: 4 });
      const batches = rounds.flatMap(({ batches: list }) =>
        list.map(({ id: batch, executor, tasks: taken }) => ({
          id: batch,
          executor,
          concurrent: list.length > 1,
          tasks: taken.map((task) => task.id),
          status: 'pending' as const,
          attempts: 0,
          cliId: batch,
        })),
      );
      return todoOf({ session: facts.session, mode: 'execute', at: 'LE', batches }, 1, facts.timestamp);
    },
  };
}
