import { z } from 'zod';
import type { GroundingReport } from '../../../plan/grounding/report.ts';
import { planCheck as planCheckCommand } from '../../cli/plan-check.ts';
import type { LiteCheck } from '../../cli/plan-check-lite.ts';
import { callCommand } from '../call-command.ts';
import { listInput, listOutput, listPage } from '../list-page.ts';
import { pathInput, projectPath } from '../project-path.ts';
import { defineTool, readsOnly } from '../tool.ts';
import { runInput } from './runs.ts';

export const planCheck = defineTool({
  name: 'plan_check',
  title: 'Check a plan against the repository',
  description:
    'Looks every claim of a plan up in the repository: files, symbols, commands, tests, decisions; of a lite plan its tasks ' +
    'and their files. Answers with what does not hold.',
  input: z.object({
    file: pathInput
      .optional()
      .describe('Plan text, plan.json or folder of a lite plan in the project; absent: the plan of a run.'),
    run: runInput.optional(),
    commit: z
      .string()
      .regex(/^[^-]/, 'takes a commit, which does not begin with a dash')
      .max(200)
      .optional()
      .describe('Check against this commit.'),
    ...listInput,
  }),
  output: z.object({
    commit: z.string(),
    claims: z.int().optional().describe('How many were looked up; absent for a lite plan.'),
    tasks: z.array(z.string()).optional().describe('Of a lite plan.'),
    waves: z
      .array(z.array(z.string()))
      .optional()
      .describe('Of a lite plan: tasks that can be done together.'),
    errors: z.int(),
    warnings: z.int(),
    open: z.array(
      z.looseObject({
        check: z.string(),
        subject: z.string(),
        result: z.string(),
        severity: z.string(),
        reason: z.string(),
      }),
    ),
    ...listOutput,
  }),
  annotations: readsOnly,
  async call({ file, run, commit, ...page }, call) {
    const named = file === undefined ? undefined : await projectPath(call.context.cwd, file);
    const given = { arguments: [named], options: { run, commit } };
    const report = (await callCommand(planCheckCommand, given, call)) as GroundingReport | LiteCheck;
    const { failing, ...summary } = 'facts' in report ? groundingSummary(report) : liteSummary(report);
    const { items: open, ...rest } = listPage<Failing>(failing, page);
    return { ...summary, open, ...rest };
  },
});

type Failing = { check: string; subject: string; result: string; severity: string; reason: string };

function groundingSummary({ facts, ...report }: GroundingReport) {
  return {
    ...report,
    claims: facts.length,
    failing: facts.filter(({ severity }) => severity !== 'none'),
  };
}

/** What a lite check has against a plan is a sentence that begins with the task it is about, else it is about them all. */
function liteSummary({ errors, warnings, ...report }: LiteCheck) {
  const failing = (severity: 'error' | 'warning') => (reason: string) => ({
    check: 'task',
    subject: /^(?:TASK|FIX)-\d{3}/.exec(reason)?.[0] ?? 'plan',
    result: 'refused',
    severity,
    reason,
  });
  return {
    ...report,
    errors: errors.length,
    warnings: warnings.length,
    failing: [...errors.map(failing('error')), ...warnings.map(failing('warning'))],
  };
}
