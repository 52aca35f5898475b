import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { slugify } from '../../base/text/strings.ts';
import { issueBody } from '../../plan/exchange/embedded-plan.ts';
import { writeOpenSpec } from '../../plan/exchange/openspec-writer.ts';
import { type Outline, outlineOf } from '../../plan/exchange/outline.ts';
import type { ExchangeFile } from '../../plan/exchange/outline-files.ts';
import { writeSpecKit } from '../../plan/exchange/spec-kit-writer.ts';
import { tagsOf, taskMasterFile, writeTaskMaster } from '../../plan/exchange/task-master-reader.ts';
import type { CommandSpec } from '../../service/command.ts';
import { findPlanFiles } from '../../service/plans.ts';
import { projectOf } from '../../service/project.ts';
import { writeNewFiles } from './write-new-files.ts';

const formats = ['spec-kit', 'openspec', 'task-master', 'issue'] as const;
type Format = (typeof formats)[number];

export const planExport: CommandSpec = {
  name: 'export',
  summary: 'Write a plan in the form of another tool: GitHub spec-kit, OpenSpec, Task Master, or an issue',
  examples: [
    ['charrette plan export --format spec-kit', 'the plan of the latest run to specs/NNN-name/'],
    ['charrette plan export 4f2a90c1 --format openspec', 'a run’s plan to openspec/changes/<name>/'],
    [
      'charrette plan export plans/limits --format task-master --name limits',
      'as a tag of .taskmaster/tasks/tasks.json',
    ],
    ['charrette plan export --format issue | gh issue create --title "Limits" --body-file -', 'as an issue'],
  ],
  arguments: [['[plan]', 'a run, a folder with plan.json, or a plan text; absent: the latest run']],
  options: [
    { flags: '--format <format>', description: 'the tool it is for', choices: formats },
    { flags: '--name <name>', description: 'folder, change or tag; absent: made from the title' },
    { flags: '--out <folder>', description: 'below this folder; absent: the project' },
    { flags: '--force', description: 'replace files that are there' },
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
    const made = await make(
      format,
      outline,
      options['name'] as string | undefined,
      root,
      options['force'] === true,
    );
    const written = await writeNewFiles(root, made, {
      force: options['force'] === true || format === 'task-master',
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
  force: boolean,
): Promise<ExchangeFile[]> {
  const name = given === undefined ? slugify(outline.title, 40, 'plan') : safeName(given);
  switch (format) {
    case 'spec-kit':
      return writeSpecKit(outline, await numbered(root, name));
    case 'openspec':
      return writeOpenSpec(outline, name);
    case 'task-master':
      return writeTaskMaster(
        outline,
        given === undefined ? 'master' : name,
        await existingTags(root, given ?? 'master', force),
      );
    case 'issue':
      return [{ path: `${name}.md`, text: issueBody(outline) }];
  }
}

/** A name of one folder, as all of the tools want it. */
function safeName(name: string): string {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= 80) return name;
  throw new CharretteError({
    code: 'usage',
    message: `--name was ${JSON.stringify(name)}; it takes small letters, digits and single hyphens.`,
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

/** The file with the other tags; a tag that is there is replaced only when that is wanted. */
async function existingTags(root: string, tag: string, force: boolean): Promise<string | undefined> {
  const file = path.join(root, taskMasterFile);
  const text = existsSync(file) ? await readTextFile(file) : undefined;
  if (text === undefined || force || tagsOf(text)[tag] === undefined) return text;
  throw new CharretteError({
    code: 'would-overwrite',
    message: `${taskMasterFile} has a tag ${JSON.stringify(tag)} already.`,
    fix: 'Choose another with --name, or replace it with --force.',
  });
}
