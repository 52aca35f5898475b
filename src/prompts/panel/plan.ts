import type { JsonSchema } from '../../agents/port.ts';
import { data, optionalData, type PromptDraft, words } from '../part.ts';
import { bullets, type Commission, commissionParts, judgementPart, readOnlyPart } from './common.ts';

export type PlanInput = {
  commission: Commission;
  /** Absent for a single author who plans without sketches. */
  synthesis?: string;
  /** `dialectic-resolutions.md`; empty when nothing was contested. */
  resolutions?: string;
  /** False: votes of the dialectic are advice. */
  binding?: boolean;
  schema: JsonSchema;
};

/** L-563: the sections of a plan, in order. */
export const planSections = [
  'Files to modify/create: every path with a short description of its change',
  'Approach: strategy, decisions, trade-offs',
  'Edge cases',
  'Failure modes: for anything beyond a cosmetic or documentation change the three likeliest systemic failures, each with its ' +
    'earliest warning sign and its simplest mitigation',
  'Testing strategy',
] as const;

/** L-560…L-563: the implementation plan. */
export function planPrompt({
  commission,
  synthesis,
  resolutions,
  binding = true,
  schema,
}: PlanInput): PromptDraft {
  return {
    task: 'plan',
    fixed: [
      words(
        'role',
        'You write the implementation plan of a feature. Explore the code and read the conventions of the project before you write; ' +
          'others will carry the plan out without being able to ask you.',
      ),
      words('sections', `The plan has these sections:\n${bullets(planSections)}`),
      words(
        'inputs',
        [
          'The synthesis shapes the plan. Settled scope says what is in, what must not break and what is not wanted.',
          'Resolutions of contested decisions count by their disposition:',
          bullets([
            binding
              ? 'voted: follow the resolution, refer to the decision by its id, say how the concern of the losing side is handled, never override it;'
              : 'voted: advice; refer to the decision by its id and follow the resolution, or say what speaks against it;',
            'fallback-to-synthesis, bucket-skipped, over-cap: the synthesis stands; mention the reason in a few words and do not pretend ' +
              'that a counter-argument was heard.',
          ]),
          'Name only files that exist or that the plan creates. Cite code as path:line where a step depends on it.',
        ].join('\n'),
      ),
      judgementPart,
      readOnlyPart,
    ],
    answer: { kind: 'json', schema },
    changing: [
      ...commissionParts(commission),
      ...(synthesis === undefined ? [] : [data('approach_synthesis', synthesis, { heading: 'Synthesis' })]),
      ...optionalData('dialectic_resolutions', resolutions, { heading: 'Resolutions' }),
    ],
  };
}
