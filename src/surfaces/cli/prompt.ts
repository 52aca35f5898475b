import { basename, join } from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { homeOf } from '../../engine/run-directory.ts';
import type { ArtifactKey } from '../../prompts/artifacts.ts';
import {
  type Compiled,
  compilePrompt,
  findShellPlaceholders,
  type Transport,
} from '../../prompts/compile.ts';
import { compose, readOverrides } from '../../prompts/compose.ts';
import { describeUses } from '../../prompts/describe.ts';
import { type FeatureFiles, readFeature } from '../../prompts/feature-files.ts';
import { overrideWarnings } from '../../prompts/known-parts.ts';
import { reportPrompt } from '../../prompts/markers.ts';
import { readProject, renderProjectContext } from '../../prompts/read-project.ts';
import type { Dispatch } from '../../prompts/roles/shapes.ts';
import { dispatchFor } from '../../prompts/roles/table.ts';
import { indexed, scopeTask } from '../../prompts/sections/scope.ts';
import { parseTasks } from '../../prompts/sections/tasks.ts';
import { compileTaskPrompt } from '../../prompts/task-prompt.ts';
import { seededNonce } from '../../prompts/untrusted.ts';
import type { CommandResult, CommandSpec, Invocation } from './command.ts';
import { textOfFile } from './named-file.ts';
import { wholeNumber } from './number-flag.ts';
import { findProject } from './project.ts';
import { artifactList, collect, featureOf, featureOptions } from './prompt-input.ts';
import { tell } from './tell.ts';

export const promptCommand: CommandSpec = {
  name: 'prompt',
  summary: 'Print the prompt that a role of a command gets',
  examples: [
    ['charrette prompt specify spec-reviewer --feature docs/features/007-search', 'the reviewer of spec.md'],
    ['charrette prompt implement security-reviewer --files src/a.ts,src/b.ts', 'for the active feature'],
    ['charrette prompt implementing implementer --task 2.1', 'one task, with its parts of plan and design'],
    ['charrette prompt design design-reviewer --json', 'with artifacts, characters, tokens'],
  ],
  arguments: [
    ['<command>', 'specify, design, plan, tasks, implement, implementing or brainstorm'],
    ['<role>', 'a role of that command'],
  ],
  options: [
    ...featureOptions,
    {
      flags: '--iteration <n>',
      description: 'which round',
      parse: wholeNumber('--iteration', 1, 99),
      default: 1,
    },
    { flags: '--max <n>', description: 'most rounds', parse: wholeNumber('--max', 1, 99), default: 5 },
    {
      flags: '--transport <kind>',
      description: 'how the artifact under review travels',
      choices: ['reference', 'inline'],
      default: 'inline',
    },
    { flags: '--task <number>', description: 'the task, for the implementer of one task' },
    { flags: '--files <paths>', description: 'changed files, or files to work on', parse: collect },
    { flags: '--issues <file>', description: 'issues of the round before, or issues to fix' },
    { flags: '--outlines <file>', description: 'test outlines, for test-deepener-b' },
    { flags: '--artifacts <list>', description: 'what the role must read instead', parse: artifactList },
  ],
  subcommands: {
    check: {
      summary: 'Grade the read confirmation of an answer',
      load: async () => (await import('./prompt-check.ts')).promptCheckCommand,
    },
  },
  dryRun: 'reads',
  run: runPrompt,
};

async function runPrompt(invocation: Invocation): Promise<CommandResult> {
  const { options, global, terminal } = invocation;
  const dispatch = await chosenDispatch(invocation);
  const feature = await readFeature(await featureOf(invocation));
  const compiled =
    dispatch.command === 'implementing'
      ? await compileTask(feature, invocation)
      : await compileCall(dispatch, feature, invocation);
  const overrides = await readOverrides(join(homeOf(findProject(global.cwd)).root, 'prompts'));
  const prompt = compose(compiled.draft, { nonce: seededNonce(basename(feature.directory)), overrides });
  const warnings = [...feature.meta.problems, ...compiled.warnings, ...overrideWarnings(overrides)];
  if (!global.quiet) for (const warning of warnings) tell(terminal, `warning: ${warning}`);
  if (global.output === 'text') return { exit: 0, text: prompt.text };
  const { loadExactCounter } = await import('../../base/text/tokens.ts');
  const count = await loadExactCounter();
  return {
    exit: 0,
    json: {
      command: dispatch.command,
      role: dispatch.role,
      description: compiled.description ?? dispatch.description,
      subagent_type: `iflow:${dispatch.agent ?? dispatch.role}`,
      model: dispatch.model,
      iteration: options['iteration'],
      prompt: prompt.text,
      ...reportPrompt(prompt, count),
      tokenBasis: 'o200k, counted',
      artifacts: describeUses({ ...feature, ...compiled }).map((use) => ({
        ...use,
        ...(use.characters === undefined ? {} : { tokens: count(textOf(feature, use.name)) }),
      })),
      pruned: compiled.pruned,
      prd: feature.prd,
      warnings,
    },
  };
}

function textOf(feature: FeatureFiles, name: string): string {
  const file = feature.files[name.replace(/\.md$/, '') as ArtifactKey];
  return file.kind === 'present' ? (file.text ?? '') : '';
}

/** T-034: --artifacts wins over the configuration, which wins over the table: what is printed is what is sent. */
async function chosenDispatch({
  arguments: words,
  options,
  global,
  terminal,
}: Invocation): Promise<Dispatch> {
  const [command, role] = [String(words[0]), String(words[1])];
  const dispatch = dispatchFor(command, role);
  const required = options['artifacts'];
  if (Array.isArray(required)) return { ...dispatch, required: required as ArtifactKey[] };
  const { loadConfig } = await import('../../base/config/config.ts');
  const world = { project: findProject(global.cwd), env: terminal.env, file: global.config };
  return dispatchFor(command, role, (await loadConfig(world)).config.artifacts ?? {});
}

type Call = Compiled & { description?: string };

async function compileCall(
  dispatch: Dispatch,
  feature: FeatureFiles,
  { options, global, signal }: Invocation,
): Promise<Call> {
  const iteration = Number(options['iteration']);
  const max = Number(options['max']);
  if (iteration > max) {
    throw new CharretteError({
      code: 'usage',
      message: `--iteration ${iteration} is beyond --max ${max}.`,
    });
  }
  const [issues, outlines] = await Promise.all([
    textOfFile(options['issues'], '--issues', { global, signal }),
    textOfFile(options['outlines'], '--outlines', { global, signal }),
  ]);
  const compiled = compilePrompt({
    dispatch,
    files: feature.files,
    prd: feature.prd,
    transport: options['transport'] as Transport,
    iteration: { iteration, max, ...(issues === undefined ? {} : { previousIssues: issues }) },
    implementationFiles: stringList(options['files']),
    ...(issues === undefined ? {} : { issues }),
    ...(outlines === undefined ? {} : { outlines }),
    ...(dispatch.answer === 'research' ? { subject: textOf(feature, 'spec.md').slice(0, 20_000) } : {}),
  });
  const tasks =
    dispatch.target === 'tasks' && feature.files.tasks.kind === 'present' ? feature.files.tasks.text : '';
  const placeholders = findShellPlaceholders(tasks ?? '').map(
    ({ line, text }) => `tasks.md:${line} has a placeholder in a shell command: ${text}`,
  );
  return { ...compiled, warnings: [...compiled.warnings, ...placeholders] };
}

async function compileTask(feature: FeatureFiles, { options }: Invocation): Promise<Call> {
  const { files, prd, meta, directory } = feature;
  const text = (key: 'tasks' | 'plan' | 'design') => {
    const file = files[key];
    return file.kind === 'present' ? (file.text ?? '') : '';
  };
  const tasks = parseTasks(text('tasks'));
  const wanted = options['task'];
  const task = tasks.find(({ number }) => number === String(wanted ?? tasks[0]?.number));
  if (task === undefined) {
    const numbers = tasks.map(({ number }) => number).join(', ');
    throw new CharretteError({
      code: tasks.length === 0 ? 'artifact-missing' : 'not-found',
      message:
        tasks.length === 0
          ? 'tasks.md has no task headings (`### Task 1.1: …`).'
          : `There is no task ${String(wanted)}; tasks are ${numbers}.`,
    });
  }
  const project = await readProject(directory, meta.meta);
  const compiled = compileTaskPrompt({
    task,
    scope: scopeTask(task, indexed(text('plan')), indexed(text('design'))),
    files,
    prd,
    workFiles: stringList(options['files']),
    ...(project === undefined ? {} : { projectContext: renderProjectContext(project) }),
  });
  return { ...compiled, inlined: [], pruned: [] };
}

function stringList(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
