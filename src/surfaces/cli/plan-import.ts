import path from 'node:path';
import { exitCodes } from '../../base/error-table.ts';
import { shellWord, slugify } from '../../base/text/strings.ts';
import { clockFrom, timeOf } from '../../engine/clock.ts';
import type { ExchangeFile } from '../../plan/exchange/outline-files.ts';
import { filesFromOutline } from '../../plan/exchange/outline-files.ts';
import { readTaskTexts } from '../../plan/tasks/plan-files.ts';
import { headCommit } from '../../repo/git/repository-facts.ts';
import type { CommandSpec } from '../../service/command.ts';
import { findProject } from '../../service/project.ts';
import { assessComplexity } from '../../workflows/build/rules/explore-decision.ts';
import { importFormats, readForeignPlan } from './foreign-plan.ts';
import { writeNewFiles } from './write-new-files.ts';

export const planImport: CommandSpec = {
  name: 'import',
  summary:
    'Make a plan from another tool’s files (spec-kit, OpenSpec, Task Master), a Markdown task list or an older plan',
  examples: [
    ['charrette plan import specs/001-limits', 'to plans/limits/plan.json and its .task folder'],
    ['charrette plan import openspec/changes/add-limits --out plans/mine', 'elsewhere'],
    ['charrette plan import .taskmaster/tasks/tasks.json --name limits', 'one tag of Task Master'],
    ['charrette plan import TODO.md', 'boxes and "Task N:" headings, one task each'],
    ['charrette lite-execute plans/limits/plan.json', 'carry it out'],
  ],
  arguments: [
    [
      '<place>',
      'a feature or change folder, tasks.json, a Markdown task list, or a plan file with its tasks inside',
    ],
  ],
  options: [
    {
      flags: '--format <format>',
      description: 'the tool it comes from; absent: seen from the files',
      choices: importFormats,
    },
    { flags: '--name <name>', description: 'the tag of Task Master; absent: master' },
    { flags: '--out <folder>', description: 'where the plan goes; absent: plans/<name>' },
    { flags: '--force', description: 'replace a plan that is there' },
  ],
  dryRun: 'says',
  async run({ arguments: [place], options, global, terminal }) {
    const project = findProject(global.cwd);
    const { format, name, outline, notes } = await readForeignPlan(
      path.resolve(global.cwd, place as string),
      {
        format: options['format'] as string | undefined,
        tag: options['name'] as string | undefined,
      },
    );
    const folder = (options['out'] as string | undefined) ?? path.join('plans', slugify(name, 60, 'plan'));
    const root = path.resolve(options['out'] === undefined ? project : global.cwd, folder);
    const baseCommit = await headCommit(project).catch(() => undefined);
    const files = filesFromOutline(
      outline,
      {
        session: slugify(name, 40, 'plan'),
        timestamp: timeOf(clockFrom(terminal.env)),
        angles: [],
        baseCommit,
      },
      outline.tasks.length === 1 ? assessComplexity(outline.summary) : 'Medium',
    );
    const parts = [
      jsonFile('plan.json', files.plan),
      ...files.tasks.map((task): ExchangeFile => jsonFile(`.task/${task.id}.json`, task)),
    ];
    // A task of an earlier plan that stays beside the new one would make that one invalid.
    const left = (await readTaskTexts(root))
      .map(({ file }) => `.task/${file}`)
      .filter((name) => parts.every((part) => part.path !== name));
    const written = await writeNewFiles(root, parts, {
      force: options['force'] === true,
      dryRun: global.dryRun,
      left,
    });
    const { critical, minor } = files.plan._metadata.quality_check ?? { critical: [], minor: [] };
    const plan = path.relative(global.cwd, path.join(root, 'plan.json'));
    const lines = [
      `${files.tasks.length} tasks from ${format} ${global.dryRun ? 'would go' : 'went'} to ${path.dirname(plan)}`,
      ...notes.map((note) => `note: ${note}`),
      ...critical.map((problem) => `error: ${problem}`),
      ...minor.slice(0, 3).map((problem) => `warning: ${problem}`),
      ...(minor.length > 3 ? [`and ${minor.length - 3} more warnings; \`plan check\` lists them`] : []),
      critical.length > 0
        ? `Mend these before it is carried out; \`charrette plan check ${shellWord(path.dirname(plan))}\` looks again.`
        : `Carry it out with \`charrette lite-execute ${shellWord(plan)}\`.`,
    ];
    return {
      exit: critical.length > 0 ? exitCodes.notAccepted : exitCodes.done,
      text: `${lines.join('\n')}\n`,
      json: {
        format,
        plan,
        tasks: files.plan.task_ids,
        files: written,
        notes,
        errors: critical,
        warnings: minor,
        dryRun: global.dryRun,
      },
    };
  },
};

const jsonFile = (name: string, value: unknown): ExchangeFile => ({
  path: name,
  text: `${JSON.stringify(value, null, 2)}\n`,
});
