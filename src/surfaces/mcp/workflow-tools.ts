import { z } from 'zod';
import { CharretteError } from '../../base/errors.ts';
import { startRun, untilShown } from '../../service/start.ts';
import { checkWorkflowFile, prepareScriptRun, workflowFiles } from '../../service/workflow-files.ts';
import { listInput, listOutput, listPage, pathInput, projectPath } from './pages.ts';
import { state, stateOf, word } from './run-tools.ts';
import { defineTool, readsOnly } from './tool.ts';

const script = word.min(1).max(1024 * 1024);

export const workflowList = defineTool({
  name: 'workflow_list',
  title: 'List workflow files',
  description: 'Workflow files of the project and of the user, with whether they can be used.',
  input: z.object(listInput),
  output: z.object({
    workflows: z.array(
      z.object({
        name: z.string(),
        description: z.string().describe('Of a file that cannot be used: what is wrong with it.'),
        file: z.string(),
        usable: z.boolean(),
        allowed: z.boolean().optional().describe('A person allowed this version; else the run asks.'),
      }),
    ),
    ...listOutput,
  }),
  annotations: readsOnly,
  async call(page, { project }) {
    const rows = workflowFiles(project).map(({ owner: _, digest: __, ...row }) => row);
    const { items, ...rest } = listPage(rows, page);
    return { workflows: items, ...rest };
  },
});

export const workflowCheck = defineTool({
  name: 'workflow_check',
  title: 'Check a workflow file',
  description: 'Errors and warnings of a workflow file or of a script; nothing of it runs.',
  input: z.object({
    path: pathInput.optional(),
    script: script.optional().describe('JavaScript or TypeScript.'),
  }),
  output: z.object({
    problems: z.array(
      z.object({ kind: z.string(), message: z.string(), line: z.number(), column: z.number() }),
    ),
  }),
  annotations: readsOnly,
  async call(given, { project }) {
    const target = oneOf(given);
    const file = given.path === undefined ? undefined : await projectPath(project, given.path);
    const problems = checkWorkflowFile(project, file === undefined ? { text: target } : { file });
    return { problems: problems.slice(0, 200).map(({ source: _, ...problem }) => problem) };
  },
});

export const workflowRun = defineTool({
  name: 'workflow_run',
  title: 'Run a workflow file',
  description:
    'Starts a workflow file, or a script given here, and answers at once with the run id. A version that no person allowed ' +
    'pauses with a question that a person must answer.',
  input: z.object({
    name: z
      .string()
      .regex(/^[\w.:-]{1,200}$/)
      .optional()
      .describe('A name that workflow_list shows.'),
    path: pathInput.optional(),
    script: script.optional().describe('JavaScript or TypeScript.'),
    args: z.unknown().optional().describe('What the file gets as `args`: any JSON value.'),
    agents: z
      .array(word.min(1).max(200))
      .max(50)
      .optional()
      .describe('Agents by name, the first one answers.'),
    budget: z.int().positive().optional().describe('Output tokens that the file may spend.'),
    access: z.enum(['read', 'branch']).optional().describe('Agents read, or work on a branch of the run.'),
  }),
  output: state,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async call({ args, agents, budget, access, ...given }, { project }) {
    const target = oneOf(given);
    const file = given.path === undefined ? undefined : await projectPath(project, given.path);
    const { loaded: _, ...run } = await prepareScriptRun(project, {
      ...(given.script === undefined ? { target: file ?? target } : { target: '-', text: target }),
      args,
      flags: {
        ...(agents === undefined ? {} : { agents: agents.join(',') }),
        ...(budget === undefined ? {} : { budget }),
        ...(access === undefined ? {} : { access }),
      },
      consented: false,
      foreign: true,
    });
    return stateOf(await untilShown(project, await startRun(project, run, 'detached')));
  },
});

/** The one of these that was given. */
function oneOf(given: Readonly<Record<string, string | undefined>>): string {
  const [value, ...others] = Object.values(given).filter((each) => each !== undefined);
  if (value !== undefined && others.length === 0) return value;
  throw new CharretteError({
    code: 'usage',
    message: `Give exactly one of ${Object.keys({ name: '', path: '', script: '' }).join(', ')}.`,
  });
}
