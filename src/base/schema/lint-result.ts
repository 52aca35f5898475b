import { z } from 'zod';

export const gateSchema = z.enum(['PASS', 'REVIEW', 'FAIL']);

/** What `skill lint --json` prints. */
export const lintResultSchema = z.looseObject({
  gate: gateSchema,
  packages: z.array(
    z.looseObject({
      path: z.string(),
      name: z.string(),
      profile: z.string(),
      gate: gateSchema,
      findings: z.array(
        z.looseObject({
          rule: z.string(),
          severity: z.enum(['error', 'warning', 'info']),
          file: z.string(),
          line: z.int().nonnegative(),
          message: z.string(),
          fixable: z.boolean(),
          /** The source that the text was copied from unchanged; such a finding does not count for the gate. */
          inherited: z.string().optional(),
        }),
      ),
      /** Number of inherited findings. */
      inherited: z.int().nonnegative(),
    }),
  ),
});
