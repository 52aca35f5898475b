import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes } from '../../base/error-table.ts';
import { CharretteError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files/atomic.ts';
import { containedPath, readTextFile } from '../../base/files/bounded.ts';
import { shellWord, slugify } from '../../base/text/strings.ts';
import { clockFrom, timeOf } from '../../engine/clock.ts';
import { importFormats, readForeignPlan } from '../../plan/exchange/foreign-plan.ts';
import { issueBody } from '../../plan/exchange/issue-writer.ts';
import { writeOpenSpec } from '../../plan/exchange/openspec-writer.ts';
import { type ExchangeFile, filesFromDraft, type Outline, outlineOf } from '../../plan/exchange/outline.ts';
import { writeSpecKit } from '../../plan/exchange/spec-kit-writer.ts';
import { readTaskTexts } from '../../plan/tasks/plan-files.ts';
import { headCommit } from '../../repo/git/repository-facts.ts';
import type { CommandSpec } from '../../service/command.ts';
import { findPlanFiles } from '../../service/plans.ts';
import { findProject, projectOf } from '../../service/project.ts';
import { assessComplexity } from '../../workflows/build/rules/explore-decision.ts';

const formats = ['spec-kit', 'openspec', 'issue'] as const;
type Format = (typeof formats)[number];

export const planExport: CommandSpec = {
  examples: [
    ['charrette plan export --format spec-kit', 'the plan of the latest run to specs/NNN-name/'],
    ['charrette plan export 4f2a90c1 --format openspec', 'a run’s plan to openspec/changes/<name>/'],
    ['charrette plan export --format issue | gh issue create --title "Limits" --body-file -', 'as an issue'],
  ],
  arguments: [['[plan]', 'a run, a folder with plan.json, or a plan text; default: the latest run']],
  options: [
    { flags: '--format <format>', description: 'the tool it is for', choices: formats },
    { flags: '--name <name>', description: 'folder or change; default: made from the title' },
    { flags: '--out <folder>', description: 'below this folder; default: the project' },
    { flags: '--force', description: 'replace existing files' },
  ],
  dryRun: 'says',
  async run(invocation) {
    const {
      arguments: [name],
      options,
      global,
    } = invocation;
    const project = projectOf(invocation);
    const format = options['format'] as Format | undefined;
    if (format === undefined) {
      throw new CharretteError({
        code: 'usage',
        message: `\`plan export\` needs --format: ${formats.join(', ')}.`,
      });
    }
    const { title, files } = await findPlanFiles(project, name as string | undefined);
    const outline = outlineOf(files, title);
    const out = options['out'] as string | undefined;
    if (format === 'issue' && out === undefined) {
      const body = issueBody(outline);
      return { exit: 0, text: body, json: { format, title: outline.title, body } };
    }
    const root = out === undefined ? project.project : path.resolve(global.cwd, out);
    const made = await make(format, outline, options['name'] as string | undefined, root);
    const written = await writeNewFiles(root, made, {
      force: options['force'] === true,
      dryRun: global.dryRun,
    });
    return {
      exit: 0,
      text: `${written.map((file) => `${global.dryRun ? 'would write' : 'wrote'} ${file}`).join('\n')}\n`,
      json: {
        format,
        title: outline.title,
        tasks: outline.tasks.length,
        files: written,
        dryRun: global.dryRun,
      },
    };
  },
};

async function make(
  format: Format,
  outline: Outline,
  given: string | undefined,
  root: string,
): Promise<ExchangeFile[]> {
  const name = given === undefined ? slugify(outline.title, 40, 'plan') : safeName(given);
  switch (format) {
    case 'spec-kit':
      return writeSpecKit(outline, await numbered(root, name));
    case 'openspec':
      return writeOpenSpec(outline, name);
    case 'issue':
      return [{ path: `${name}.md`, text: issueBody(outline) }];
  }
}

/** A name of one folder, as all of the tools want it. */
function safeName(name: string): string {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= 80) return name;
  throw new CharretteError({
    code: 'usage',
    message: `--name is ${JSON.stringify(name)}; expected small letters, digits and single hyphens.`,
  });
}

/** The next number of specs/, or the folder that has this name already. */
async function numbered(root: string, name: string): Promise<string> {
  if (/^\d{3}-/.test(name)) return name;
  const folders = (await readdir(path.join(root, 'specs')).catch(() => [])).filter((each) =>
    /^\d{3}-/.test(each),
  );
  const same = folders.find((each) => each.slice(4) === name);
  if (same !== undefined) return same;
  const last = Math.max(0, ...folders.map((each) => Number(each.slice(0, 3))));
  return `${String(last + 1).padStart(3, '0')}-${name}`;
}

export const planImport: CommandSpec = {
  examples: [
    ['charrette plan import specs/001-limits', 'to plans/limits/plan.json and its .task folder'],
    ['charrette plan import openspec/changes/add-limits --out plans/mine', 'elsewhere'],
    ['charrette plan import TODO.md', 'boxes and "Task N:" headings, one task each'],
    ['charrette build --plan plans/limits', 'implement it'],
  ],
  arguments: [
    ['<place>', 'a feature or change folder, a Markdown task list, or a plan file with its tasks inside'],
  ],
  options: [
    {
      flags: '--format <format>',
      description: 'the tool it comes from; default: detected from the files',
      choices: importFormats,
    },
    { flags: '--out <folder>', description: 'where the plan goes; default: plans/<name>' },
    { flags: '--force', description: 'replace an existing plan' },
  ],
  dryRun: 'says',
  async run({ arguments: [place], options, global, terminal }) {
    const project = findProject(global.cwd);
    const { format, name, draft, notes } = await readForeignPlan(
      path.resolve(global.cwd, place as string),
      options['format'] as string | undefined,
    );
    const folder = (options['out'] as string | undefined) ?? path.join('plans', slugify(name, 60, 'plan'));
    const root = path.resolve(options['out'] === undefined ? project : global.cwd, folder);
    const baseCommit = await headCommit(project).catch(() => undefined);
    const files = filesFromDraft(
      draft,
      {
        session: slugify(name, 40, 'plan'),
        timestamp: timeOf(clockFrom(terminal.env)),
        angles: [],
        baseCommit,
      },
      draft.tasks.length === 1 ? assessComplexity(draft.overview.summary) : 'Medium',
    );
    const parts = [
      jsonFile('plan.json', files.plan),
      ...files.tasks.map((task): ExchangeFile => jsonFile(`.task/${task.id}.json`, task)),
    ];
    // A leftover task of an earlier plan would invalidate the new one.
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
        ? `Fix these errors, then run \`charrette plan check ${shellWord(path.dirname(plan))}\`.`
        : `Run \`charrette build --plan ${shellWord(plan)}\` to implement it.`,
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

/**
 * Writes files below a folder, all or none: one that is there with other content, or that is not among them any more (`left`), stops it,
 * unless it may be replaced.
 */
export async function writeNewFiles(
  root: string,
  files: readonly ExchangeFile[],
  { force, dryRun, left = [] }: { force: boolean; dryRun: boolean; left?: readonly string[] },
): Promise<string[]> {
  if (!dryRun) await mkdir(root, { recursive: true });
  const targets = await Promise.all(
    files.map(async ({ path, text }) => ({
      path,
      text,
      target: existsSync(root) ? await containedPath(root, path) : path,
    })),
  );
  const states = await Promise.all(
    targets.map(async (file) => ({
      ...file,
      before: existsSync(file.target) ? await readTextFile(file.target) : undefined,
    })),
  );
  const changed = [
    ...states.filter(({ before, text }) => before !== undefined && before !== text).map(({ path }) => path),
    ...left,
  ];
  if (changed.length > 0 && !force) {
    throw new CharretteError({
      code: 'would-overwrite',
      message: `${changed.join(', ')} ${changed.length === 1 ? 'exists' : 'exist'} with other content.`,
      fix: 'Choose another --name or --out, or replace them with --force.',
    });
  }
  if (!dryRun) {
    for (const { target, text } of states) await writeFileAtomic(target, text);
    for (const name of left) await rm(await containedPath(root, name), { force: true });
  }
  return files.map(({ path }) => path);
}
