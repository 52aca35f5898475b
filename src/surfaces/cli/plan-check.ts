import { type ExitCode, exitCodes } from '../../base/error-table.ts';
import { checkPlan, type PlanFinding } from '../../service/checks.ts';
import type { CommandSpec } from '../../service/command.ts';
import { projectOf } from '../../service/project.ts';
import { inForm } from './plan-check-forms.ts';

export const planCheck: CommandSpec = {
  name: 'check',
  summary:
    'Look every claim of a plan up in the repository: files, symbols, commands, sections, tests, decisions. Exit 0 when it holds, 6 when it has errors.',
  examples: [
    ['charrette plan check', 'the plan of the latest run, at its base commit'],
    ['charrette plan check --run 4f2a90c1', 'the plan of that run'],
    ['charrette plan check PLAN.md --commit main', 'a plan that anybody wrote'],
    ['charrette plan check PLAN.md --format github', 'as annotations of a GitHub workflow'],
    ['charrette plan check PLAN.md --fail-on warning', 'warnings exit 6 too'],
    ['charrette plan check plans/', 'a lite plan: plan.json and .task/'],
  ],
  arguments: [['[file]', 'plan text, plan.json, or a folder with a lite plan; absent: the plan of a run']],
  options: [
    { flags: '--run <id>', description: 'check the plan of this run (latest, id, or a part of it)' },
    {
      flags: '--commit <revision>',
      description: 'check against this commit; absent: the base commit or HEAD',
    },
    {
      flags: '--format <form>',
      description: 'output form',
      choices: ['pretty', 'json', 'sarif', 'github'],
      default: 'pretty',
    },
    {
      flags: '--fail-on <severity>',
      description: 'exit 6 for any finding of this severity or above (default: error)',
      choices: ['error', 'warning'],
    },
  ],
  dryRun: 'reads',
  async run(invocation) {
    const { arguments: words, options } = invocation;
    const { report, text, findings } = await checkPlan(projectOf(invocation), {
      file: words[0] as string | undefined,
      run: options['run'] as string | undefined,
      commit: options['commit'] as string | undefined,
    });
    return {
      exit: exitOf(findings, options['failOn']),
      text: inForm(options['format'] as string, report, findings) ?? text,
      json: report,
    };
  },
};

function exitOf(findings: readonly PlanFinding[], failOn: unknown): ExitCode {
  const isMet = findings.every(({ severity }) => severity === 'warning' && failOn !== 'warning');
  return isMet ? exitCodes.done : exitCodes.notAccepted;
}
