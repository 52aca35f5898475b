import type { JsonSchema } from '../../agents/port.ts';
import { data, optionalData, type PromptDraft, request, words } from '../part.ts';
import { bullets, type Commission, commissionParts, judgementPart, readOnlyPart } from './common.ts';

export type RevisePlanInput = {
  commission: Commission;
  plan: string;
  /** Findings voted in, with their ids. */
  accepted?: string;
  /** L-725: what the user decided in the second discussion, or wants changed. */
  decisions?: string;
  /** Questions of that discussion that an agent answered from the code. */
  answeredByCode?: string;
  /** L-562: voted resolutions that the plan must follow. */
  resolutions?: string;
  /** What the check of the plan against the repository complained about. */
  problems?: string;
  schema: JsonSchema;
};

/** L-690, L-698: the plan again, with every accepted finding worked in and traceable. */
export function revisePlanPrompt(input: RevisePlanInput): PromptDraft {
  const { commission, plan, accepted, decisions, answeredByCode, resolutions, problems, schema } = input;
  return {
    task: 'revise-plan',
    fixed: [
      words(
        'role',
        'You revise an implementation plan. What was accepted goes in; what nobody questioned stays as it is.',
      ),
      words(
        'rules',
        [
          'Return the whole plan with the same sections:',
          bullets(planSections),
          'Work in every accepted finding and say for each, by its id, how the plan changed. If two of them conflict, keep the plan',
          'consistent and say so in both. Add nothing that was not accepted.',
          'The plan keeps following every voted resolution and says how, by the id of its decision. Where an accepted finding overrides',
          'a resolution, say so there with the id of the finding.',
        ].join('\n'),
      ),
      readOnlyPart,
    ],
    answer: { kind: 'json', schema },
    changing: [
      ...commissionParts(commission),
      data('plan', plan, { heading: 'The plan' }),
      ...optionalData('accepted_findings', accepted, { heading: 'Accepted findings' }),
      ...optionalData('voted_resolutions', resolutions, { heading: 'Voted resolutions' }),
      ...request('decisions', decisions, {
        heading: 'What the user decided',
        text: 'Work this into the plan.',
      }),
      ...optionalData('plan_answered_by_code', answeredByCode, {
        heading: 'Answered by the code for the plan',
      }),
      ...optionalData('problems', problems, { heading: 'Problems found by checking the plan' }),
    ],
  };
}

export type DiagramInput = { plan: string; schema: JsonSchema };

/** L-741, L-761: one mermaid diagram of the architecture in the final plan. */
export function diagramPrompt({ plan, schema }: DiagramInput): PromptDraft {
  return {
    task: 'diagram',
    fixed: [
      words(
        'role',
        'You draw the architecture of a plan as one mermaid diagram: modules, their boundaries and relations. Not the flow at run ' +
          'time. Choose the diagram type that shows it best and keep it to what a reader takes in at one look.',
      ),
      words(
        'syntax',
        bullets([
          'Put a node label that contains | or brackets in double quotes.',
          'No HTML break and no $ in the alias of a participant or actor; put detail into notes.',
          '<br/> inside a flowchart label is fine; other HTML, links, click and %%{…}%% are not.',
          'Only names that occur in the plan.',
        ]),
      ),
    ],
    answer: { kind: 'json', schema },
    changing: [data('plan', plan, { heading: 'The plan' })],
  };
}

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
