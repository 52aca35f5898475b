import path from 'node:path';
import { thisWorld } from '../../agents/settings.ts';
import { exitCodes } from '../../base/error-table.ts';
import { CharretteError } from '../../base/errors.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import { type CommandResult, type CommandSpec, type Invocation, printNotice } from '../../service/command.ts';
import { findRun, type Project, projectOf, settingsOf } from '../../service/project.ts';
import { lintPackage } from '../../skills/lint/engine.ts';
import { packageDirectories } from '../../skills/lint/lint-paths.ts';
import { countOf } from '../../skills/lint/rule.ts';
import { buildPackage } from '../../skills/model/package.ts';
import { readPackageFiles } from '../../skills/package-files.ts';
import type { SkillRunInputs } from '../../skills/run/call-phase.ts';
import { questionId, type RunPhase, type RunPlan, runPlan } from '../../skills/run/run-plan.ts';
import { phasesOf } from '../../skills/run/run-skill.ts';
import type { RunInputs } from '../../workflows/create-run.ts';
import { agentNames, rosterOf } from '../../workflows/roster.ts';
import { givenAnswers } from './ask.ts';
import { conductRun, startCommand } from './conduct.ts';
import { warnEarlyAnswers, wouldResume } from './steer.ts';

export const skillRun: CommandSpec = {
  examples: [
    [
      'charrette skill run .claude/skills/release-check "check version 2"',
      'with the first agent that is there',
    ],
    [
      'charrette skill run lite-plan-dir "fix the login" --mode workflow:lite-plan --agents codex',
      'one mode of a router',
    ],
    ['charrette skill run --resume latest', 'continue after a stop, a failure or a question'],
  ],
  arguments: [
    ['[path]', 'package directory'],
    ['[task...]', 'what shall be done'],
  ],
  options: [
    { flags: '--mode <mode>', description: 'mode or trigger of a router; other packages have none' },
    { flags: '--agents <list>', description: 'agents by name, comma-separated; the first runs the phases' },
    {
      flags: '--access <access>',
      description: 'what the agent may do in the project',
      choices: ['write', 'read'],
      default: 'write',
    },
    { flags: '--answers <file>', description: 'a JSON object of question → answer' },
    { flags: '--resume <run>', description: 'resume a skill run' },
    { flags: '--force', description: 'also when lint finds errors' },
  ],
  dryRun: 'says',
  run: async (invocation) => {
    const { options, global } = invocation;
    const resume = options['resume'];
    const given = await givenAnswers(invocation);
    if (typeof resume === 'string') {
      const project = projectOf(invocation);
      const directory = await findRun(project, resume);
      warnEarlyAnswers(directory, given, invocation);
      if (global.dryRun) return wouldResume(await readRunRecord(directory), directory);
      return conductRun(project, directory.id, invocation, given);
    }
    const { inputs, plan, phases } = await prepare(invocation, projectOf(invocation));
    warnUnknownAnswers(
      plan.questions.map(({ key }) => questionId(key)),
      given,
      invocation,
    );
    if (global.dryRun) return describePlan(plan, phases, inputs.agent);
    const title = inputs.task || path.basename(inputs.package);
    return startCommand(invocation, { workflow: 'skill-run', title, inputs }, given);
  },
};

async function prepare(
  { arguments: [given, words], options, global }: Invocation,
  project: Project,
): Promise<{ inputs: SkillRunInputs & RunInputs; plan: RunPlan; phases: readonly RunPhase[] }> {
  const [directory, ...more] = packageDirectories([typeof given === 'string' ? given : '.'], [], global.cwd);
  if (directory === undefined || more.length > 0)
    throw new CharretteError({
      code: 'usage',
      message: `There are ${more.length + 1} packages; name one of them.`,
    });
  const subject = buildPackage(readPackageFiles(directory));
  if (subject.phases.length === 0)
    throw new CharretteError({
      code: 'usage',
      message: `${subject.name || subject.files.directory} has no phases; hosts load such a skill directly.`,
    });
  const mode = typeof options['mode'] === 'string' ? options['mode'] : undefined;
  const plan = runPlan(subject);
  // An unknown mode would end a run that cannot be fixed.
  const phases = phasesOf(plan, mode);
  const errors = countOf(lintPackage(subject).findings, 'error');
  if (errors > 0 && options['force'] !== true) {
    throw new CharretteError({
      code: 'usage',
      message: `${subject.name} has ${errors} lint errors; it was not started.`,
      fix: 'Run `charrette skill lint`, or start it anyway with --force.',
    });
  }
  const config = await settingsOf(project);
  const roster = rosterOf(config, thisWorld(), agentNames(options['agents'] as string | undefined));
  const [agent] = roster;
  if (agent === undefined || agent.protocol === 'static') {
    throw new CharretteError({
      code: 'agent-not-found',
      message: 'Phases need an agent that can work; none is configured or found.',
      fix: 'Run `charrette doctor`, install an agent, or declare one in the configuration.',
    });
  }
  const inputs = {
    roster,
    parallel: 1,
    project: project.project,
    package: directory,
    task: Array.isArray(words) ? words.join(' ') : '',
    ...(mode === undefined ? {} : { mode }),
    auto: global.yes,
    agent: agent.id,
    access: options['access'] === 'read' ? ('read' as const) : ('write' as const),
    wallMs: 60 * 60 * 1000,
  };
  return { inputs, plan, phases };
}

/** Names answers that no question of the run takes: all its questions are known before it begins. */
function warnUnknownAnswers(
  questions: readonly string[],
  given: ReadonlyMap<string, string>,
  { global, terminal }: Invocation,
): void {
  const asked = global.yes ? [] : questions;
  const unknown = [...given.keys()].filter((id) => !asked.includes(id));
  if (unknown.length === 0 || global.quiet) return;
  const nothing = global.yes ? 'With --yes it asks nothing.' : 'It asks nothing.';
  const rest = asked.length === 0 ? nothing : `Its questions: ${asked.join(', ')}.`;
  printNotice(terminal, `No question of this run takes ${unknown.join(', ')}. ${rest}`);
}

function describePlan(plan: RunPlan, phases: readonly RunPhase[], agent: string): CommandResult {
  const lines = phases.map(
    ({ number, name, condition, variables }) =>
      `  ${number} ${name}${condition === undefined ? '' : ` if ${condition}`}${variables.length > 0 ? ` → ${variables.join(', ')}` : ''}`,
  );
  return {
    exit: exitCodes.done,
    text: `Would run ${plan.skill} with ${agent}:\n${lines.join('\n')}\n`,
    json: { ...plan, phases },
  };
}
