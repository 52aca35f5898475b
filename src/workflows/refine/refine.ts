import { rm } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { isInside } from '../../base/files/bounded.ts';
import type { WorkflowStart } from '../../council/call/once.ts';
import type { Outcome } from '../../engine/workflow.ts';
import { currentBranch, repositoryFacts, uncommittedIn } from '../../repo/git/repository-facts.ts';
import { branchTip, forwardTo, openRunBranch } from '../../repo/git/run-branch.ts';
import { removeWorktree } from '../../repo/git/worktrees.ts';
import {
  type Escalation,
  escalate,
  evaluate,
  type Ground,
  judgedCriteria,
  type LoopState,
  runIteration,
} from './iteration.ts';
import { type ReportInput, renderReport, renderSummary } from './rules/report.ts';
import { calibrationWarnings, decide, isScoredTwice, scoreCard } from './rules/score.ts';
import { type LoopSeats, seatLoop } from './rules/settings.ts';
import { type RefineInputs, RefineRun } from './run.ts';
import { agreeContract, keepContract } from './stage-contract.ts';

/** Calibration, report, the result on the person's branch when it was accepted, and what is left where it is. */
async function finish(
  run: RefineRun,
  ground: Ground,
  seats: LoopSeats,
  state: LoopState,
  how: 'accepted' | Exclude<Escalation, 'continue' | 'adjust'>,
): Promise<Outcome> {
  run.begin('finish', how);
  const accepted = how === 'accepted' || how === 'accept';
  const warnings = accepted ? await calibrate(run, ground, seats, state) : [];
  for (const warning of warnings) run.warn(warning);
  const merged = accepted && run.inputs.merge ? await mergeResult(run, ground) : false;
  const last = state.records.at(-1);
  const place = merged ? `on ${ground.onto ?? 'HEAD'}` : `on the branch ${ground.branch}`;
  const verdict = describe(how, state, last?.score.total ?? 0);
  const unmeasured =
    last === undefined || last.notMeasured.length === 0
      ? ''
      : ` Not measured: ${last.notMeasured.join(', ')}.`;
  const report: ReportInput = {
    title: run.inputs.title,
    outcome: `${verdict}; the work is ${place}.${unmeasured}`,
    profile: run.inputs.profile,
    threshold: run.inputs.settings.passThreshold,
    iterations: state.records,
    warnings,
  };
  await run.context.artifact('refine-report.html', renderReport(report));
  await run.context.artifact('refine-report.md', renderSummary(report));
  await run.context.step('close checkouts', async () => {
    if (!run.keepsBuild) await removeWorktree(ground.root, run.checkout('build'));
    // It has no history of this repository, so git does not know it.
    await rm(run.checkout('artifact'), { recursive: true, force: true });
  });
  run.end(verdict);
  const message = `${verdict}; the work is ${place}.${unmeasured}`;
  return accepted ? { status: 'done', exit: 0, message } : { status: 'not-accepted', exit: 6, message };
}

function describe(how: Parameters<typeof finish>[4], { records }: LoopState, total: number): string {
  const after = `after ${records.length} iterations with ${total.toFixed(2)}`;
  if (how === 'accepted') return `accepted ${after}`;
  if (how === 'accept') return `accepted by a person ${after}`;
  if (how === 'switch') return `not accepted ${after}; continue with --path import or --path code`;
  return `not accepted ${after}`;
}

/** Every fifth project is judged twice; the log of totals is what later projects are compared with. */
async function calibrate(
  run: RefineRun,
  ground: Ground,
  seats: LoopSeats,
  state: LoopState,
): Promise<string[]> {
  const { calibration: earlier, profile, settings } = run.inputs;
  const last = state.records.at(-1);
  if (last === undefined) return [];
  const entry = { run: run.context.live.directory.id, total: last.score.total };
  const second = isScoredTwice(earlier) ? await secondTotal() : undefined;
  const whole = second === undefined ? entry : { ...entry, second };
  const text = `${JSON.stringify({ schemaVersion: 1, entries: [...earlier, whole] }, null, 2)}\n`;
  await run.context.artifact('calibration-log.json', text);
  await run.keep('calibration-log.json', text);
  return calibrationWarnings(whole, earlier);

  async function secondTotal(): Promise<number> {
    const evaluation = await evaluate(run, ground, seats, state.contract, 'evaluate-again');
    const found = (last?.findings ?? []).map(({ id }) => id);
    const judged = judgedCriteria(evaluation, state.contract);
    return scoreCard(profile, judged, { found, slopPatterns: 0 }, settings.passThreshold).total;
  }
}

/** Forward only, and only when the branch has not moved; otherwise it says how to do it by hand. */
async function mergeResult(run: RefineRun, { root, base, onto, branch }: Ground): Promise<boolean> {
  const { project } = run.inputs;
  const result = await run.context.step('merge', async () => {
    const tip = (await branchTip(root, branch)) ?? base;
    return forwardTo(project, tip, { base, onto });
  });
  if (!result.merged) run.warn(`Not merged: ${result.reason}. When you are ready: git merge ${branch}`);
  return result.merged;
}

/** `charrette refine`: a builder and a fresh evaluator in turn, until a page passes or a person decides. */
export async function refine(...start: WorkflowStart<RefineInputs>): Promise<Outcome> {
  const run = new RefineRun(...start);
  const { context, inputs } = run;
  run.begin('setup', inputs.title);
  const seats = seat(run);
  await run.askConsent([seats.builder, seats.evaluator]);
  await context.artifact('brief.md', inputs.brief);
  await settleBrand(run);
  const ground = await openGround(run);
  run.end(`builder ${seats.builder}, evaluator ${seats.evaluator}`);
  run.begin('contract', inputs.contractId);
  const contract = await agreeContract(run, seats);
  await keepContract(run, contract);
  run.end(`${contract.criteria.length} criteria`);
  return loop(run, ground, seats, { contract, records: [], advice: [], problems: [], requests: [] });
}

async function loop(run: RefineRun, ground: Ground, seats: LoopSeats, begun: LoopState): Promise<Outcome> {
  const { settings } = run.inputs;
  let state = begun;
  // After you ask for a change the count starts again: earlier iterations did not try it.
  let countedFrom = 0;
  for (let iteration = 1; ; iteration += 1) {
    state = await runIteration(run, ground, seats, state, iteration);
    const totals = state.records.slice(countedFrom).map(({ score }) => score.total);
    const decision = decide(totals, state.records.at(-1)?.passed === true, settings);
    if (decision.kind === 'accept') return finish(run, ground, seats, state, 'accepted');
    if (decision.kind === 'iterate' && !decision.ask) continue;
    const { choice, request } = await escalate(run, decision, iteration, totals);
    if (choice === 'continue') continue;
    if (choice === 'adjust') {
      state = { ...state, requests: [...state.requests, request ?? ''] };
      countedFrom = iteration;
      continue;
    }
    return finish(run, ground, seats, state, choice);
  }
}

function seat(run: RefineRun): LoopSeats {
  const agents = [...run.services.agents.values()].map(({ id, family, capabilities }) => ({
    id,
    family,
    canWrite: capabilities.write,
  }));
  const seats = seatLoop(agents, run.inputs);
  if (seats.related)
    run.warn('Builder and evaluator are of one family; an evaluator of another one is less lenient.');
  return seats;
}

/** Brand files win. Documents that contradict them are reported; tokens that contradict them stop the run until you decide. */
async function settleBrand(run: RefineRun): Promise<void> {
  const { brand } = run.inputs;
  const conflicts = [...(brand?.documentConflicts ?? []), ...(brand?.tokenConflicts ?? [])];
  if (brand === undefined) run.warn('No brand files found; the page is judged without a brand.');
  if (conflicts.length === 0) return;
  await run.json('brand-conflicts.json', { schemaVersion: 1, conflicts });
  for (const { name, source, found, brand: held } of brand?.documentConflicts ?? [])
    run.warn(`${source}: ${name} is ${found}, the brand has ${held}; the brand holds.`);
  const against = brand?.tokenConflicts ?? [];
  if (against.length === 0) return;
  const answers = await run.context.ask([
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

async function openGround(run: RefineRun): Promise<Ground> {
  const { project, baseCommit, artifact } = run.inputs;
  const branch = `charrette/${run.context.live.directory.id}`;
  const start = await run.context.step('ground', async () => {
    const facts = await repositoryFacts(project);
    const base = facts.head ?? baseCommit;
    await openRunBranch(facts.root, branch, base);
    const prefix = path.relative(facts.root, project);
    const page = path.join(prefix, artifact);
    const unseen = (await uncommittedIn(facts.root)).some((name) => isInside(name, page));
    return { root: facts.root, prefix, base, onto: (await currentBranch(project)) ?? null, unseen };
  });
  if (start.unseen)
    run.warn(
      `${artifact} is not committed: the builder starts from the last commit, and the result is not put in its place.`,
    );
  return { ...start, onto: start.onto ?? undefined, branch };
}
