import { z } from 'zod';
import { planCheck as planCheckCommand } from '../../cli/plan-check.ts';
import type { GroundingReport } from '../../plan/grounding-report.ts';
import { callCommand } from '../call-command.ts';
import { listInput, listOutput, listPage } from '../list-page.ts';
import { pathInput, projectPath } from '../project-path.ts';
import { defineTool, readsOnly } from '../tool.ts';
import { runInput } from './runs.ts';

export const planCheck = defineTool({
  name: 'plan_check',
  title: 'Check a plan against the repository',
  description:
    'Looks every claim of a plan up in the repository: files, symbols, commands, tests, decisions. Answers with what does ' +
    'not hold.',
  input: z.object({
    file: pathInput.optional().describe('Plan text or plan.json in the project; absent: the plan of a run.'),
    run: runInput.optional(),
    commit: z.string().regex(/^[^-]/).max(200).optional().describe('Check against this commit.'),
    ...listInput,
  }),
  output: z.object({
    commit: z.string(),
    claims: z.int(),
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
    const { facts, ...report } = (await callCommand(planCheckCommand, given, call)) as GroundingReport;
    const failing = facts.filter(({ severity }) => severity !== 'none');
    const { items: open, ...rest } = listPage(failing, page);
    return { ...report, claims: facts.length, open, ...rest };
  },
});
