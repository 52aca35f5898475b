import { z } from 'zod';
import type { GroundingReport } from '../../plan/grounding/grounding.ts';
import { type Consumer, consumers } from '../../prompts/context/defaults.ts';
import { checkPlan, type LiteCheck, lintSkills, designContext as loadContext } from '../../service/checks.ts';
import { promptFor } from '../../service/prompts.ts';
import {
  listInput,
  listOutput,
  listPage,
  pageInput,
  pageOf,
  pageOutput,
  pathInput,
  projectPath,
} from './pages.ts';
import { runInput } from './run-tools.ts';
import { defineTool, readsOnly } from './tool.ts';

const consumerNames = Object.keys(consumers) as [Consumer, ...Consumer[]];

export const designContext = defineTool({
  name: 'design_context',
  title: 'Design context of the project',
  description: 'The design documents of the project as one block under a token budget.',
  input: z.object({
    for: z.enum(consumerNames).optional().describe('All that this kind of prompt is given, specs included.'),
    task: z.string().max(20_000).optional().describe('With `for`: what the work is about.'),
    budget: z.int().positive().optional().describe('Tokens, instead of the configured budget.'),
    dir: pathInput.optional().describe('Folder of the documents, instead of the configured one.'),
    ...pageInput,
  }),
  output: z.object({
    outcome: z.string().describe('`loaded`, or why the block is missing.'),
    files: z.array(z.object({ token: z.string(), path: z.string(), state: z.string() })),
    ...pageOutput,
  }),
  annotations: readsOnly,
  async call({ for: consumer, task, budget, dir, offset, limit }, { project }) {
    const named = dir === undefined ? undefined : await projectPath(project, dir);
    const loaded = await loadContext(project, { for: consumer, task, budget, dir: named });
    return {
      outcome: loaded.design.outcome,
      files: loaded.design.files.map(({ token, path, state }) => ({ token, path, state })),
      ...pageOf(loaded.text, { offset, limit }),
    };
  },
});

export const promptCompile = defineTool({
  name: 'prompt_compile',
  title: 'Compiled prompt of a role',
  description: 'The prompt that a role of a command gets for a feature directory, with what it costs.',
  input: z.object({
    command: z.string().describe('specify, design, plan, tasks, implement, implementing …'),
    role: z.string().describe('A role of that command; a wrong one is answered with the list.'),
    feature: pathInput.optional().describe('Feature directory or id; default: the active one.'),
    iteration: z.int().min(1).max(99).default(1),
    max: z.int().min(1).max(99).default(5),
    transport: z.enum(['reference', 'inline']).default('reference'),
    task: z.string().optional().describe('For the implementer of one task: its number.'),
    files: z.array(z.string()).max(500).optional().describe('Changed files, or files to work on.'),
    ...pageInput,
  }),
  output: z.object({
    command: z.string(),
    role: z.string(),
    tokens: z.number().optional(),
    warnings: z.array(z.string()),
    ...pageOutput,
  }),
  annotations: readsOnly,
  async call({ command, role, feature, offset, limit, ...request }, { project }) {
    const named = feature === undefined ? undefined : await projectPath(project, feature);
    const compiled = await promptFor(project, { ...request, command, role, feature: named, root: 'docs' });
    const { tokens, warnings, prompt } = await compiled.describe();
    return {
      command,
      role,
      ...(typeof tokens === 'number' && { tokens }),
      warnings: warnings.slice(0, 20),
      ...pageOf(prompt, { offset, limit }),
    };
  },
});

const gate = z.enum(['PASS', 'REVIEW', 'FAIL']);

export const skillLint = defineTool({
  name: 'skill_lint',
  title: 'Lint skills',
  description: 'Checks skill packages below paths of the project: PASS, REVIEW or FAIL, and the findings.',
  input: z.object({ paths: z.array(pathInput).min(1).max(50).default(['.']), ...listInput }),
  output: z.object({
    gate,
    packages: z
      .array(z.object({ path: z.string(), name: z.string(), gate, findings: z.int() }))
      .describe('At most 100.'),
    findings: z.array(
      z.object({
        package: z.string(),
        rule: z.string(),
        severity: z.string(),
        file: z.string(),
        line: z.int(),
        message: z.string(),
        fixable: z.boolean(),
      }),
    ),
    ...listOutput,
  }),
  annotations: readsOnly,
  async call({ paths: named, ...page }, { project }) {
    const paths = await Promise.all(named.map((name) => projectPath(project, name)));
    const result = lintSkills(project, { paths });
    const all = result.packages.flatMap((entry) =>
      entry.findings.map(({ rule, severity, file, line, message, fixable }) => ({
        package: entry.path,
        ...{ rule, severity, file, line, message, fixable },
      })),
    );
    const { items: findings, ...rest } = listPage(all, page);
    const packages = result.packages
      .slice(0, 100)
      .map((entry) => ({ ...pick(entry), findings: entry.findings.length }));
    return { gate: result.gate, packages, findings, ...rest };
  },
});

function pick({ path, name, gate: own }: ReturnType<typeof lintSkills>['packages'][number]) {
  return { path, name, gate: own };
}

export const planCheck = defineTool({
  name: 'plan_check',
  title: 'Check a plan against the repository',
  description:
    'Checks every claim of a plan against the repository: files, symbols, commands, tests, decisions; of a lite plan its tasks ' +
    'and their files. Returns the claims that do not hold.',
  input: z.object({
    file: pathInput
      .optional()
      .describe('Plan text, plan.json or folder of a lite plan in the project; default: the plan of a run.'),
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
  async call({ file, run, commit, ...page }, { project }) {
    const named = file === undefined ? undefined : await projectPath(project, file);
    const { report } = await checkPlan(project, { file: named, run, commit });
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

/** A problem of a lite plan is a sentence that begins with its task; without one it is about the whole plan. */
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
