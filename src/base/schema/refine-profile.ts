import { z } from 'zod';

const share = z.number().min(0).max(1);
const finding = z.enum([
  'copy-mismatch',
  'slop',
  'broken-mobile',
  'dead-element',
  'accessibility',
  'brand',
  'stock-icons',
  'off-scale-spacing',
  'missing-alt',
]);

/** A profile of the project's own, for `refine --profile FILE`. */
export const refineProfileSchema = z
  .strictObject({
    $schema: z.string().optional(),
    name: z.string().min(1).max(60),
    dimensions: z
      .array(
        z.strictObject({
          id: z.string().regex(/^[a-z][a-z0-9-]{0,59}$/, 'takes lower-case letters, digits and dashes'),
          title: z.string().min(1).max(80),
          weight: share,
          target: share.default(0.75),
          about: z.string().min(1).max(400),
          anchors: z.strictObject({
            '0.25': z.string().max(300),
            '0.50': z.string().max(300),
            '0.75': z.string().max(300),
            '1.00': z.string().max(300),
          }),
        }),
      )
      .min(1)
      .max(12),
    caps: z.array(z.strictObject({ finding, dimension: z.string(), at: share })).default([]),
    mustPass: z.array(finding).default([]),
    mustPassDimensions: z.array(z.string()).default([]),
    combine: z.enum(['min', 'mean']).default('min'),
  })
  .refine(({ dimensions }) => Math.abs(dimensions.reduce((sum, { weight }) => sum + weight, 0) - 1) < 1e-6, {
    message: 'the weights of the dimensions must sum to 1',
    path: ['dimensions'],
  })
  .refine(({ dimensions }) => new Set(dimensions.map(({ id }) => id)).size === dimensions.length, {
    message: 'two dimensions have the same id',
    path: ['dimensions'],
  })
  // A profile with security must require it: the other weights cannot make up for it.
  .refine(
    ({ dimensions, mustPassDimensions }) =>
      !dimensions.some(({ id }) => id === 'security') || mustPassDimensions.includes('security'),
    { message: 'security must stay among mustPassDimensions', path: ['mustPassDimensions'] },
  );
