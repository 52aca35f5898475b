import { z } from 'zod';
import { panelNames } from '../../../council/panels.ts';
import { beginRun } from '../begin.ts';
import { runStateShape } from '../run-state.ts';
import { defineTool } from '../tool.ts';

/** These become arguments of a program, which end at a NUL. */
const word = z.string().regex(/^[^\x00]*$/, 'must be text without NUL');

const input = z.object({
  feature: word.trim().min(1).max(20_000).describe('What to design, in the words of the person.'),
  depth: z.enum(['auto', 'solo', 'quick', 'regular', 'wide']).optional().describe('How much is done.'),
  panel: z.enum(panelNames).optional().describe('Who sits where.'),
  agents: z
    .array(word.min(1).max(200))
    .max(50)
    .optional()
    .describe('Agents by name, in order of preference.'),
  author: word.max(200).optional().describe('The agent that writes synthesis, plan and revision.'),
  dialectic: z.enum(['off', 'advisory', 'binding']).optional().describe('Debates on contested decisions.'),
  sketches: z.union([z.literal(0), z.literal(2), z.literal(4)]).optional(),
  maxTokens: z.int().positive().optional().describe('Pause and ask when this many tokens are used.'),
  maxUsd: z.number().positive().optional().describe('Pause and ask when this much is spent.'),
  branch: z.boolean().optional().describe('false: stay on the current branch.'),
  fromRun: word.max(200).optional().describe('Take over finished answers of this run.'),
});

/** Each value is one word with its flag, and the feature stands behind `--`: no text can become a flag. */
function wordsOf(flags: z.output<typeof input>): string[] {
  const flag = (name: string, value: string | number | undefined) =>
    value === undefined || value === '' ? [] : [`--${name}=${value}`];
  return [
    'design',
    '--auto',
    ...flag('depth', flags.depth),
    ...flag('panel', flags.panel),
    ...flag('agents', flags.agents?.join(',')),
    ...flag('author', flags.author),
    ...flag('dialectic', flags.dialectic),
    ...flag('sketches', flags.sketches),
    ...flag('max-tokens', flags.maxTokens),
    ...flag('max-usd', flags.maxUsd),
    ...(flags.branch === false ? ['--no-branch'] : []),
    ...flag('from-run', flags.fromRun),
    '--',
    flags.feature,
  ];
}

export const designStart = defineTool({
  name: 'design_start',
  title: 'Start a design run',
  description:
    'Several agents sketch, argue, plan, review and vote; the result is one plan. Answers at once with the run id; the ' +
    'run goes on in a process of its own for minutes. Without consent to call agents it pauses with a question that a ' +
    'person must answer.',
  input,
  output: z.object(runStateShape),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  call: (flags, { context }) => beginRun(wordsOf(flags), context),
});
