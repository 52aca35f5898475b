import { createHash } from 'node:crypto';
import path from 'node:path';
import { type ExitCode, exitCodes } from '../../base/error-table.ts';
import { type Annotation, githubAnnotations, sarifOf } from '../../base/text/annotations.ts';
import { version } from '../../base/version.ts';
import { checkPlan, type PlanFinding } from '../../service/checks.ts';
import type { CommandSpec } from '../../service/command.ts';
import { projectOf } from '../../service/project.ts';

export const planCheck: CommandSpec = {
  examples: [
    ['charrette plan check', 'the plan of the latest run, at its base commit'],
    ['charrette plan check --run 4f2a90c1', 'the plan of that run'],
    ['charrette plan check PLAN.md --commit main', 'a plan that anybody wrote'],
    ['charrette plan check PLAN.md --format github', 'as annotations of a GitHub workflow'],
    ['charrette plan check PLAN.md --fail-on warning', 'warnings exit 6 too'],
    ['charrette plan check plans/', 'a lite plan: plan.json and .task/'],
  ],
  arguments: [['[file]', 'plan text, plan.json, or a folder with a lite plan; default: the plan of a run']],
  options: [
    { flags: '--run <id>', description: 'check the plan of this run (latest, id, or a part of it)' },
    {
      flags: '--commit <revision>',
      description: 'check against this commit; default: the base commit or HEAD',
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

const checks = {
  file: 'Files that the plan changes exist; files that it creates do not.',
  symbol: 'Symbols that the plan names are declared.',
  command: 'Commands that the plan gives can be run.',
  section: 'The sections of a plan are there and filled.',
  tests: 'What changes has tests.',
  decision: 'Decisions that were taken are followed.',
  citation: 'Places that the plan cites hold what it says.',
  task: 'Tasks can be implemented and checked.',
} as const satisfies Record<PlanFinding['check'], string>;

/** The output in a form for programs; `undefined` when the form is for people. */
export function inForm(form: string, report: unknown, findings: readonly PlanFinding[]): string | undefined {
  const forms: Record<string, () => string> = {
    json: () => `${JSON.stringify(report, null, 2)}\n`,
    sarif: () => `${JSON.stringify(planSarif(findings), null, 2)}\n`,
    github: () => planAnnotations(findings),
  };
  return forms[form]?.();
}

/** SARIF 2.1.0. */
export function planSarif(findings: readonly PlanFinding[]): unknown {
  return sarifOf(findings.map(annotationOf), {
    name: 'charrette plan check',
    version,
    rule: (id) => ({
      id,
      shortDescription: { text: checks[id.slice(prefix.length) as keyof typeof checks] },
    }),
  });
}

/** Annotations as GitHub's runner reads them from the output of a step. */
export function planAnnotations(findings: readonly PlanFinding[]): string {
  return githubAnnotations(findings.map(annotationOf));
}

const prefix = 'plan-';

function annotationOf({ check, subject, file, ...finding }: PlanFinding): Annotation {
  return {
    ...finding,
    rule: `${prefix}${check}`,
    file: file.split(path.sep).join('/'),
    fingerprint: createHash('sha256').update(`${check}\0${subject}`).digest('hex').slice(0, 32),
  };
}
