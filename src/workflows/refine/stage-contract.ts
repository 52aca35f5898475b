import { stringify } from 'yaml';
import { type Contract, openContract, type ProposedCriterion } from './rules/contract.ts';
import { offerProblems, offerPrompt, offerReviewPrompt } from './rules/prompts.ts';
import type { LoopSeats } from './rules/settings.ts';
import type { RefineRun } from './run.ts';

/** What the page is held to. With negotiation the builder offers criteria and the evaluator agrees or amends, twice at most. */
export async function agreeContract(run: RefineRun, seats: LoopSeats): Promise<Contract> {
  const { inputs } = run;
  const { profile, contractId, documentCriteria, earlier, settings } = inputs;
  const standing = openContract(contractId, profile, documentCriteria, [], earlier);
  if (!inputs.negotiate || settings.contract.maxNegotiationRounds === 0) return standing;
  const negotiation: Contract['negotiation'] = [];
  const dimensions = profile.dimensions.map(({ id }) => id);
  const facts = { dimensions: dimensions.map((id) => ({ id })) };
  // RF-13: words that would pass for a verdict on an earlier round never get into a contract.
  const check = ({ criteria }: { criteria: ProposedCriterion[] }) => offerProblems(criteria, dimensions);
  let offer: ProposedCriterion[] = [];
  let scenarios: Contract['scenarios'] = [];
  for (let round = 1; round <= settings.contract.maxNegotiationRounds; round += 1) {
    const proposed = await run.askOne(seats.builder, {
      key: `contract-${round}-builder`,
      kind: 'contract-offer',
      judgement: 'contract',
      facts,
      check,
      draft: (schema) =>
        offerPrompt({
          profile,
          block: inputs.block,
          brief: inputs.brief,
          standing: standing.criteria,
          amended: offer,
          schema,
        }),
    });
    offer = proposed.value.criteria;
    scenarios = proposed.value.scenarios.map((scenario, index) => ({ id: `T-${index + 1}`, ...scenario }));
    negotiation.push({ round, by: 'builder', verdict: 'proposed', criteria: offer.length });
    const reviewed = await run.askOne(seats.evaluator, {
      key: `contract-${round}-evaluator`,
      kind: 'contract-review',
      judgement: 'contract-review',
      facts,
      check,
      draft: (schema) =>
        offerReviewPrompt({ profile, briefPath: run.briefPath, standing: standing.criteria, offer, schema }),
    });
    const { agreed, criteria } = reviewed.value;
    if (!agreed && criteria.length > 0) offer = criteria;
    const verdict = agreed ? 'agreed' : 'amended';
    negotiation.push({ round, by: 'evaluator', verdict, criteria: offer.length });
    if (agreed) break;
  }
  return {
    ...openContract(contractId, profile, documentCriteria, offer, earlier),
    scenarios,
    negotiation,
  };
}

/** The one durable file: states without any rationale, for the next run and for readers. */
export async function keepContract(run: RefineRun, contract: Contract): Promise<void> {
  const text = stringify({
    schemaVersion: 1,
    id: contract.id,
    profile: run.inputs.profile.name,
    criteria: contract.criteria.map(({ id, dimension, criterion, verification, state }) => ({
      id,
      dimension,
      criterion,
      verification,
      state,
    })),
    documents: run.inputs.documents,
  });
  await run.context.artifact('contract.yaml', text);
  await run.keep(`${contract.id}/contract.yaml`, text);
}
