import { z } from 'zod';
import { type Consumer, consumers, findContextRoot } from '../../../prompts/context/defaults.ts';
import { promptContext } from '../../../prompts/context/for-prompt.ts';
import { loadDesignContext } from '../../../prompts/context/load.ts';
import { pageInput, pageOf, pageOutput } from '../page.ts';
import { pathInput, projectPath } from '../project-path.ts';
import { defineTool, readsOnly } from '../tool.ts';

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
    outcome: z.string().describe('`loaded`, or why there is no block.'),
    files: z.array(z.object({ token: z.string(), path: z.string(), state: z.string() })),
    ...pageOutput,
  }),
  annotations: readsOnly,
  async call({ for: consumer, task, budget, dir, offset, limit }, { context: { cwd, env } }) {
    const request = {
      // A folder in the request is relative to the working directory.
      root: dir === undefined ? findContextRoot(cwd) : cwd,
      mode: 'standalone',
      ...(budget !== undefined && { budget }),
      ...(dir !== undefined && { dir: await projectPath(cwd, dir) }),
    } as const;
    const loaded =
      consumer === undefined
        ? await loadDesignContext(request).then((design) => ({ design, text: design.text }))
        : await promptContext({
            ...request,
            consumer,
            ...(task !== undefined && { task }),
            home: env['HOME'],
          });
    return {
      outcome: loaded.design.outcome,
      files: loaded.design.files.map(({ token, path, state }) => ({ token, path, state })),
      ...pageOf(loaded.text, { offset, limit }),
    };
  },
});
