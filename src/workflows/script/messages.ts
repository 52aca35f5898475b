import { z } from 'zod';

// The lines between the program and the process that runs a workflow file. What comes from there is checked like any other
// untrusted text (W-144).

/** Numbers a call by its place in the script. `2.4-1`: the second fan-out, its fourth item, the first call in it. */
export const callIdPattern = /^[a-z0-9][a-z0-9.:-]{0,199}$/;

const id = z.string().regex(callIdPattern);
const text = (limit: number) => z.string().max(limit);
const mebibyte = 1024 * 1024;
const jsonSchema = z.record(z.string(), z.unknown());

export const callOptionsSchema = z.object({
  label: text(200).optional(),
  phase: text(200).optional(),
  schema: jsonSchema.optional(),
  model: text(200).optional(),
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
  agentType: text(200).optional(),
  isolation: z.enum(['worktree', 'remote']).optional(),
  stallMs: z.number().int().min(1000).max(86_400_000).optional(),
  disallowedTools: z.array(text(200)).max(100).optional(),
  bashCommandClamp: z.unknown().optional(),
  /** An agent of the run by its name. */
  agent: text(100).optional(),
  /** The seat in a panel: agents are spread over families by it. */
  seat: z.number().int().min(0).max(1000).optional(),
});

export type CallOptions = z.infer<typeof callOptionsSchema>;

const optionSchema = z.union([text(1000), z.object({ value: text(1000), label: text(1000).optional() })]);

export const fromHostSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('call'), id, prompt: text(mebibyte), options: callOptionsSchema }),
  z.object({
    type: z.literal('ask'),
    id,
    question: text(10_000),
    detail: text(200_000).optional(),
    options: z.array(optionSchema).max(50).optional(),
    recommended: text(1000).optional(),
  }),
  z.object({ type: z.literal('child'), id, target: text(1000), args: z.unknown().optional() }),
  z.object({ type: z.literal('log'), text: text(100_000), phase: text(200).optional() }),
  z.object({ type: z.literal('phase'), title: text(200) }),
  /** The script can go no further without an answer. `delivered`: how many it has had. */
  z.object({ type: z.literal('rest'), delivered: z.number().int().min(0) }),
  z.object({
    type: z.literal('end'),
    ok: z.boolean(),
    value: z.unknown().optional(),
    error: z
      .object({
        message: text(100_000),
        code: text(100).optional(),
        line: z.number().int().optional(),
        column: z.number().int().optional(),
      })
      .optional(),
  }),
]);

export type FromHost = z.infer<typeof fromHostSchema>;
export type HostCall = Extract<FromHost, { type: 'call' }>;
export type HostQuestion = Extract<FromHost, { type: 'ask' }>;

export type ScriptText = { file: string; body: string; form: 'bare' | 'default' };

export type ToHost =
  | {
      type: 'start';
      script: ScriptText;
      args?: unknown;
      budget: number | null;
      /** The agents of the run, those of different families first. */
      seats: { agent: string; family: string }[];
      nonceSeed: string;
    }
  | { type: 'answer'; id: string; ok: true; value?: unknown; by?: Answerer; reason?: string; spent: number }
  | { type: 'answer'; id: string; ok: false; message: string; spent: number }
  | { type: 'script'; id: string; script: ScriptText; spent: number };

export type Answerer = { agent: string; family: string };
