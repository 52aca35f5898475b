import { z } from 'zod';
import { promptCommand } from '../../cli/prompt.ts';
import { callCommand } from '../call-command.ts';
import { pageInput, pageOf, pageOutput } from '../page.ts';
import { pathInput, projectPath } from '../project-path.ts';
import { defineTool, readsOnly } from '../tool.ts';

export const promptCompile = defineTool({
  name: 'prompt_compile',
  title: 'Compiled prompt of a role',
  description: 'The prompt that a role of a command gets for a feature directory, with what it costs.',
  input: z.object({
    command: z.string().describe('specify, design, plan, tasks, implement, implementing …'),
    role: z.string().describe('A role of that command; a wrong one is answered with the list.'),
    feature: pathInput.optional().describe('Feature directory or id; absent: the active one.'),
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
  async call({ command, role, feature, offset, limit, ...options }, call) {
    const named = feature === undefined ? undefined : await projectPath(call.context.cwd, feature);
    const given = {
      arguments: [command, role],
      options: { root: 'docs', ...options, ...(named !== undefined && { feature: named }) },
    };
    const compiled = (await callCommand(promptCommand, given, call)) as {
      prompt: string;
      tokens?: unknown;
      warnings: string[];
    };
    const { prompt, tokens, warnings } = compiled;
    return {
      command,
      role,
      ...(typeof tokens === 'number' && { tokens }),
      warnings: warnings.slice(0, 20),
      ...pageOf(prompt, { offset, limit }),
    };
  },
});
