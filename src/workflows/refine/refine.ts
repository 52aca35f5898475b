import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { isInside } from '../../base/files/contained.ts';
import type { Outcome, WorkflowDefinition } from '../../engine/workflow.ts';
import { currentBranch, repositoryFacts } from '../../repo/git/repository-facts.ts';
import { openRunBranch } from '../../repo/git/run-branch.ts';
import { uncommittedIn } from '../../repo/git/uncommitted.ts';
import type { ServicesOf } from '../services.ts';
import type { LaneDefinition } from '../stage-desk.ts';
import { RefineDesk } from './desk.ts';
import { escalate } from './escalate.ts';
import { finish } from './finish.ts';
import type { RefineInputs } from './inputs.ts';
import { type Ground, type LoopState, runIteration } from './iteration.ts';
import { decide } from './rules/decide.ts';
import { type LoopSeats, seatLoop } from './rules/seats.ts';
import { agreeContract, keepContract } from './stage-contract.ts';

/** `charrette refine`: a builder and a fresh evaluator in turn, until a page passes or a person decides. */
export function refineWorkflow(
  lane: LaneDefinition,
  servicesOf: ServicesOf,
): WorkflowDefinition<RefineInputs, Outcome> {
  return {
    name: 'refine',
    async run(context, inputs) {
      const desk = new RefineDesk(context, lane, await servicesOf(context.live), inputs);
      desk.begin('setup', inputs.title);
      const seats = seat(desk);
      await desk.askConsent([seats.builder, seats.evaluator]);
      await context.artifact('brief.md', inputs.brief);
      await settleBrand(desk);
      const ground = await openGround(desk);
      desk.end(`builder ${seats.builder}, evaluator ${seats.evaluator}`);
      desk.begin('contract', inputs.contractId);
      const contract = await agreeContract(desk, seats);
      await keepContract(desk, contract);
      desk.end(`${contract.criteria.length} criteria`);
      return loop(desk, ground, seats, { contract, records: [], advice: [], problems: [], wishes: [] });
    },
  };
}

async function loop(desk: RefineDesk, ground: Ground, seats: LoopSeats, begun: LoopState): Promise<Outcome> {
  const { settings } = desk.inputs;
  let state = begun;
  // After a person asked for a change the counting begins anew: what was tried before says nothing about it.
  let countedFrom = 0;
  for (let iteration = 1; ; iteration += 1) {
    state = await runIteration(desk, ground, seats, state, iteration);
    const totals = state.records.slice(countedFrom).map(({ score }) => score.total);
    const decision = decide(totals, state.records.at(-1)?.passed === true, settings);
    if (decision.kind === 'accept') return finish(desk, ground, seats, state, 'accepted');
    if (decision.kind === 'iterate' && !decision.ask) continue;
    const { choice, wish } = await escalate(desk, decision, iteration, totals);
    if (choice === 'continue') continue;
    if (choice === 'adjust') {
      state = { ...state, wishes: [...state.wishes, wish ?? ''] };
      countedFrom = iteration;
      continue;
    }
    return finish(desk, ground, seats, state, choice);
  }
}

function seat(desk: RefineDesk): LoopSeats {
  const agents = [...desk.services.agents.values()].map(({ id, family, capabilities }) => ({
    id,
    family,
    canWrite: capabilities.write,
  }));
  const seats = seatLoop(agents, desk.inputs);
  if (seats.related)
    desk.warn('Builder and evaluator are of one family; an evaluator of another one is less lenient.');
  return seats;
}

/** Brand files win. What documents say against them is reported; tokens against them stop the run until somebody decides. */
async function settleBrand(desk: RefineDesk): Promise<void> {
  const { brand } = desk.inputs;
  const conflicts = [...(brand?.documentConflicts ?? []), ...(brand?.tokenConflicts ?? [])];
  if (brand === undefined) desk.warn('There are no brand files; nothing is judged by a brand.');
  if (conflicts.length === 0) return;
  await desk.json('brand-conflicts.json', { schemaVersion: 1, conflicts });
  for (const { name, source, found, brand: held } of brand?.documentConflicts ?? [])
    desk.warn(`${source}: ${name} is ${found}, the brand has ${held}; the brand holds.`);
  const against = brand?.tokenConflicts ?? [];
  if (against.length === 0) return;
  const answers = await desk.context.ask([
    {
      id: 'brand-conflict',
      text: `${against.length} design tokens contradict the brand. What holds?`,
      detail: against
        .map(
          ({ name, found, brand: held, options }) =>
            `${name}: ${found}, the brand has ${held} (${options.join('; or ')})`,
        )
        .join('\n'),
      options: [
        { value: 'brand', label: "The brand's values" },
        { value: 'stop', label: 'Stop; tokens or brand files will be changed first' },
      ],
      recommended: 'brand',
    },
  ]);
  if (answers.get('brand-conflict')?.value === 'brand') return;
  throw new CharretteError({
    code: 'BRAND_DESIGN_CONFLICT',
    message: against
      .map(
        ({ name, found, brand: held }) => `${name} is ${found} in the tokens and ${held} in the brand files`,
      )
      .join('; '),
    fix: against
      .flatMap(({ options }) => options)
      .join('; or ')
      .slice(0, 1000),
  });
}

async function openGround(desk: RefineDesk): Promise<Ground> {
  const { project, baseCommit, artifact } = desk.inputs;
  const branch = `charrette/${desk.context.live.directory.id}`;
  const start = await desk.context.step('ground', async () => {
    const facts = await repositoryFacts(project);
    const base = facts.head ?? baseCommit;
    await openRunBranch(facts.root, branch, base);
    const prefix = path.relative(facts.root, project);
    const page = path.join(prefix, artifact);
    const unseen = (await uncommittedIn(facts.root)).some((name) => isInside(name, page));
    return { root: facts.root, prefix, base, onto: (await currentBranch(project)) ?? null, unseen };
  });
  if (start.unseen)
    desk.warn(
      `${artifact} is not committed: the builder starts from the last commit, and the result is not put in its place.`,
    );
  return { ...start, onto: start.onto ?? undefined, branch };
}
