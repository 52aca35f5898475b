import path from 'node:path';
import { thisWorld } from '../agents/settings.ts';
import { loadConfig } from '../config/config.ts';
import { clockFrom, idsFrom } from '../engine/clock.ts';
import { openEngine } from '../engine/engine.ts';
import { readLedger, totalsOf } from '../engine/ledger.ts';
import { readQuestions, unanswered } from '../engine/question.ts';
import { type Home, homeOf, runDirectoryOf } from '../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord } from '../engine/run-record.ts';
import { type ExitCode, exitCodes } from '../error-table.ts';
import { CharretteError, isErrorCode } from '../errors.ts';
import { lintPackage } from '../skills/lint/engine.ts';
import { countOf } from '../skills/lint/gate.ts';
import { packageDirectories } from '../skills/lint/lint-paths.ts';
import { buildPackage } from '../skills/model/package.ts';
import { readPackageFiles } from '../skills/read-package.ts';
import { runPlan } from '../skills/run/run-plan.ts';
import { type SkillRunInputs, skillRunWorkflow } from '../skills/run/workflow.ts';
import { createRun } from '../workflows/create-run.ts';
import type { RunInputs } from '../workflows/inputs.ts';
import { rosterOf, seatAgents } from '../workflows/roster.ts';
import { codeVersion } from '../workflows/version.ts';
import { listArtifacts } from './artifacts.ts';
import { makeAnswerProvider, readAnswerFile } from './ask.ts';
import type { CommandResult, CommandSpec, Invocation } from './command.ts';
import { findHome, findRun } from './project.ts';
import { makeReporter } from './reporter.ts';

export const skillRun: CommandSpec = {
  name: 'run',
  summary:
    'Carry out a package: phases loaded when they run, conditions and outputs checked, every answer kept.',
  examples: [
    [
      'charrette skill run .claude/skills/release-check "check version 2"',
      'with the first agent that is there',
    ],
    [
      'charrette skill run lite-plan-dir "fix the login" --mode workflow:lite-plan --agent codex',
      'one mode of a router',
    ],
    ['charrette skill run --resume latest', 'go on after a stop, a failure or a question'],
  ],
  arguments: [
    ['[path]', 'package directory'],
    ['[task...]', 'what shall be done'],
  ],
  options: [
    { flags: '--mode <mode>', description: 'mode or trigger of a router' },
    { flags: '--agent <id>', description: 'who carries the phases out' },
    {
      flags: '--access <access>',
      description: 'what the agent may do in the project',
      choices: ['write', 'read'],
      default: 'write',
    },
    { flags: '--answers <file>', description: 'a JSON object of question → answer' },
    { flags: '--resume <run>', description: 'go on with a skill run' },
    { flags: '--force', description: 'also when lint finds errors' },
  ],
  run: async (invocation) => {
    const { options, global } = invocation;
    const resume = options['resume'];
    if (typeof resume === 'string') {
      const home = findHome(global.cwd);
      return conduct(home, (await findRun(home, resume)).id, invocation);
    }
    const home = homeOf(findHome(global.cwd).project);
    const inputs = await prepare(invocation, home);
    if (global.dryRun) return describePlan(inputs);
    const run = await createRun(
      home,
      { workflow: 'skill-run', title: inputs.task || path.basename(inputs.package), inputs },
      { clock: clockFrom(invocation.terminal.env), ids: idsFrom(invocation.terminal.env) },
    );
    return conduct(home, run, invocation);
  },
};

async function prepare(
  { arguments: [given, words], options, global, terminal }: Invocation,
  home: Home,
): Promise<SkillRunInputs & RunInputs> {
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
      message: `${subject.name} has no phases; a host loads such a skill by itself.`,
    });
  const errors = countOf(lintPackage(subject).findings, 'error');
  if (errors > 0 && options['force'] !== true) {
    throw new CharretteError({
      code: 'usage',
      message: `${subject.name} has ${errors} lint errors; it was not started.`,
      fix: 'Run `charrette skill lint`, or start it all the same with --force.',
    });
  }
  const { config } = await loadConfig({ project: home.project, env: terminal.env, file: global.config });
  const wanted = typeof options['agent'] === 'string' ? [options['agent']] : undefined;
  const roster = rosterOf(config, thisWorld(), wanted);
  const [agent] = roster;
  if (agent === undefined || agent.protocol === 'static') {
    throw new CharretteError({
      code: 'agent-not-found',
      message: 'Phases need an agent that can work; none is configured or found.',
      fix: 'Run `charrette doctor`, install an agent, or declare one in the configuration.',
    });
  }
  return {
    roster,
    parallel: 1,
    project: home.project,
    package: directory,
    task: Array.isArray(words) ? words.join(' ') : '',
    ...(typeof options['mode'] === 'string' ? { mode: options['mode'] } : {}),
    auto: global.yes,
    agent: agent.id,
    access: options['access'] === 'read' ? 'read' : 'write',
    wallMs: 60 * 60 * 1000,
  };
}

function describePlan(inputs: SkillRunInputs): CommandResult {
  const plan = runPlan(buildPackage(readPackageFiles(inputs.package)));
  const lines = plan.phases.map(
    ({ number, name, condition, variables }) =>
      `  ${number} ${name}${condition === undefined ? '' : ` if ${condition}`}${variables.length > 0 ? ` → ${variables.join(', ')}` : ''}`,
  );
  return {
    exit: exitCodes.done,
    text: `Would run ${plan.skill} with ${inputs.agent}:\n${lines.join('\n')}\n`,
    json: plan,
  };
}

async function conduct(home: Home, runId: string, invocation: Invocation): Promise<CommandResult> {
  const { options, global, terminal, signal } = invocation;
  const { config } = await loadConfig({ project: home.project, env: terminal.env, file: global.config });
  const directory = runDirectoryOf(home, runId);
  const opening = await openEngine({
    home,
    store: config.store ?? 'embedded',
    codeVersion,
    workflows: [
      skillRunWorkflow(async (live, id) => {
        const { inputs } = await readRunRecord(live.directory);
        const agents = await seatAgents((inputs as RunInputs).roster, thisWorld());
        const agent = agents.get(id);
        if (agent === undefined)
          throw new CharretteError({
            code: 'agent-not-found',
            message: `The agent ${id} is not here any more.`,
          });
        return agent;
      }),
    ],
    children: [],
    clock: clockFrom(terminal.env),
  });
  if (!opening.opened) {
    throw new CharretteError({
      code: 'store-locked',
      message: `Process ${opening.holder.pid} holds the store.`,
      fix: `When it has ended: \`charrette skill run --resume ${runId}\`.`,
      retryable: true,
    });
  }
  const given =
    typeof options['answers'] === 'string'
      ? await readAnswerFile(path.resolve(global.cwd, options['answers']))
      : new Map<string, string>();
  try {
    opening.engine.subscribe(runId, makeReporter(global, terminal));
    await opening.engine.start(runId);
    const end = await opening.engine.wait(runId, {
      signal,
      answer: makeAnswerProvider(global, terminal, given),
    });
    return await describe(runId, end.record, home, invocation);
  } finally {
    await opening.engine.close();
  }

  async function describe(
    id: string,
    record: RunRecord,
    at: Home,
    { terminal: { stderr } }: Invocation,
  ): Promise<CommandResult> {
    const cost = totalsOf(readLedger(directory.ledger));
    const resume = `charrette skill run --resume ${id}`;
    if (record.status === 'failed') {
      const code = record.error?.code;
      throw new CharretteError({
        code: code !== undefined && isErrorCode(code) ? code : 'internal',
        message: record.error?.message ?? `The run ${id} failed.`,
        fix: `Look at ${path.relative(at.project, directory.lanes)}; go on with \`${resume}\`.`,
      });
    }
    if (record.status === 'paused') {
      const questions = unanswered(readQuestions(directory));
      stderr.write(
        `Paused. Open questions:\n${questions.map((question) => `  ${question.id}: ${question.text}`).join('\n')}\nGo on with \`${resume} --answers FILE\`.\n`,
      );
      return { exit: exitCodes.paused, json: { run: id, status: 'paused', questions, resume, cost } };
    }
    if (!isFinal(record.status))
      return { exit: exitCodes.terminated, json: { run: id, status: record.status, resume, cost } };
    const artifacts = await listArtifacts(directory);
    return {
      exit: (record.exit ?? exitCodes.failed) as ExitCode,
      text: `${id}: ${record.status}\n`,
      json: { run: id, status: record.status, artifacts, cost },
    };
  }
}
