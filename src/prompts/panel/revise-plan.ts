import type { JsonSchema } from '../../agents/port.ts';
import { data, optionalData, type PromptDraft, request, words } from '../part.ts';
import { bullets, type Commission, commissionParts, readOnlyPart } from './common.ts';
import { planSections } from './plan.ts';

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
