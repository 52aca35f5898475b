import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { thisWorld } from '../../agents/settings.ts';
import { loadConfig } from '../../base/config/config.ts';
import { exitCodes } from '../../base/error-table.ts';
import { CharretteError } from '../../base/errors.ts';
import { counted } from '../../base/text/strings.ts';
import type { CommandResult, CommandSpec, Invocation } from '../../service/command.ts';
import { projectOf } from '../../service/project.ts';
import { checkWorkflowFile, workflowFiles } from '../../service/workflow-files.ts';
import { rosterOf } from '../../workflows/roster.ts';
import { problemText } from '../../workflows/script/inspector.ts';
import { chooseModel } from '../../workflows/script/models.ts';
import { loadWorkflow } from '../../workflows/script/prepare.ts';
import { workflowTemplates } from '../../workflows/script/templates.ts';
import { isAllowed } from '../../workflows/script/trust.ts';

/** W-152: the workflow files that can be started by name. */
export async function workflowTable(invocation: Invocation): Promise<CommandResult> {
  const rows = workflowFiles(projectOf(invocation));
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  const lines = rows.map(
    ({ name, description, usable }) => `${usable ? ' ' : '✗'} ${name.padEnd(width)}  ${description}\n`,
  );
  const text =
    rows.length === 0
      ? 'No workflow files yet. Run `charrette workflow new NAME` to write one.\n'
      : `${lines.join('')}\nRun \`charrette run NAME\` to start one. \`charrette runs\` lists what ran.\n`;
  return { exit: exitCodes.done, json: { workflows: rows }, text };
}

const list: CommandSpec = {
  examples: [['charrette workflow list --json', 'with digests and whether each version is allowed']],
  dryRun: 'reads',
  run: workflowTable,
};

const show: CommandSpec = {
  examples: [['charrette workflow show deep-research', 'before you allow it to run']],
  arguments: [['<workflow>', 'a name or a path']],
  dryRun: 'reads',
  async run(invocation) {
    const { global } = invocation;
    const { project } = projectOf(invocation);
    const world = thisWorld();
    const loaded = loadWorkflow({ target: String(invocation.arguments[0]), cwd: global.cwd, project, world });
    const { config } = await loadConfig({ project, env: world.environment, file: global.config });
    const agents = rosterOf(config, world).map(({ id, family }) => ({ id, family: family ?? id }));
    const { models: named = {}, tiers = {} } = config.workflow ?? {};
    const { inspection, digest, file, children, agentTypes, text: source } = loaded;
    const models = [...new Set(inspection.models)].map((model) => ({
      model,
      ...chooseModel(model, { models: named, tiers, agents }),
    }));
    const allowed = loaded.owner === 'user' || isAllowed(world, project, digest);
    const { meta, counts } = inspection;
    const text = [
      `${meta.name}: ${meta.description}`,
      ...(meta.whenToUse === undefined ? [] : [`When: ${meta.whenToUse}`]),
      `File: ${file}`,
      `Digest: ${digest}${allowed ? ' (allowed)' : ''}`,
      `Phases: ${meta.phases.map(({ title }) => title).join(', ') || 'none'}`,
      `${counted(counts.calls, 'agent call')} and ${counted(counts.loops, 'loop')} in the text`,
      ...models.map(({ model, agent, why }) => `${model} → ${agent}: ${why}`),
      ...(Object.keys(children).length === 0 ? [] : [`Starts: ${Object.keys(children).join(', ')}`]),
      ...inspection.agentTypes.map(
        (type) => `Agent type ${type}: ${agentTypes[type]?.file ?? 'built in or unknown'}`,
      ),
      '',
      source.trimEnd(),
      '',
    ].join('\n');
    const json = {
      ...{ name: loaded.name, file, digest, allowed, meta, counts, models },
      children: Object.keys(children),
      source,
    };
    return { exit: exitCodes.done, json, text };
  },
};

const check: CommandSpec = {
  examples: [
    ['charrette workflow check .claude/workflows/*.js', 'errors and warnings with their lines'],
    ['charrette workflow check flow.ts --fail-on warning', 'for CI'],
  ],
  arguments: [['<files...>', 'workflow files']],
  options: [
    {
      flags: '--fail-on <level>',
      description: 'what makes the command exit 1',
      choices: ['error', 'warning'],
      default: 'error',
    },
  ],
  dryRun: 'reads',
  async run({ arguments: [files], global, options }) {
    const checked = (files as string[]).map((file) => ({
      ...{ file, problems: checkWorkflowFile(global, { file }) },
    }));
    const all = checked.flatMap(({ problems }) => problems);
    const errors = all.filter(({ kind }) => kind !== 'warning').length;
    const failed = errors > 0 || (options['failOn'] === 'warning' && all.length > 0);
    const lines = checked.flatMap(({ file, problems }) =>
      problems.map(
        (problem) => `${problem.kind === 'warning' ? 'warning' : 'error'}: ${problemText(file, problem)}\n`,
      ),
    );
    const end = `${counted(checked.length, 'file')}: ${counted(errors, 'error')}, ${counted(all.length - errors, 'warning')}\n`;
    return {
      exit: failed ? exitCodes.failed : exitCodes.done,
      json: { files: checked, errors, warnings: all.length - errors },
      text: `${lines.join('')}${end}`,
    };
  },
};

/** W-162: with it an editor knows the globals. It is removed before the file runs. */
const typesLine = "import type {} from 'charrette/workflow';\n\n";

const create: CommandSpec = {
  examples: [
    ['charrette workflow new triage', 'a plain file in .charrette/workflows'],
    ['charrette workflow new plan-review --from review --ts', 'with a panel and a vote, in TypeScript'],
  ],
  arguments: [['<name>', 'the name of the workflow']],
  options: [
    {
      flags: '--from <template>',
      description: 'what the file begins with',
      choices: Object.keys(workflowTemplates),
      default: 'plain',
    },
    { flags: '--ts', description: 'write TypeScript' },
  ],
  dryRun: 'says',
  async run(invocation) {
    const { global, options } = invocation;
    const name = String(invocation.arguments[0]);
    if (!/^[a-z0-9][a-z0-9-]{0,59}$/.test(name))
      throw new CharretteError({
        code: 'usage',
        message: `${JSON.stringify(name)} is not a valid name: use small letters, digits and dashes.`,
      });
    const { project } = projectOf(invocation);
    const file = path.join(
      project,
      '.charrette',
      'workflows',
      `${name}.${options['ts'] === true ? 'ts' : 'js'}`,
    );
    if (existsSync(file))
      throw new CharretteError({
        code: 'would-overwrite',
        message: `${file} exists.`,
        fix: 'Choose another name.',
      });
    const template = workflowTemplates[options['from'] as keyof typeof workflowTemplates];
    const shown = path.relative(global.cwd, file);
    if (!global.dryRun) {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, `${options['ts'] === true ? typesLine : ''}${template(name)}`, { flag: 'wx' });
    }
    const text = `${global.dryRun ? 'Would write' : 'Wrote'} ${shown}. Run \`charrette workflow check ${shown}\`, then \`charrette run ${name} --agents static\` to try it without a model.\n`;
    return { exit: exitCodes.done, json: { file, dryRun: global.dryRun }, text };
  },
};

export const command: CommandSpec = {
  examples: [['charrette workflow list', 'what `charrette run` can start']],
  subcommands: {
    list: { summary: 'List workflow files of the project and your own', load: async () => list },
    show: {
      summary: 'Show a workflow file: what it says, what it would call, its source',
      load: async () => show,
    },
    check: { summary: 'Check workflow files without running them', load: async () => check },
    new: { summary: 'Write a workflow file to start from', load: async () => create },
  },
};
