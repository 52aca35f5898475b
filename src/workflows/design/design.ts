import { writeJsonAtomic } from '../../base/files/atomic.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import { diagramWarning, dialecticPayload, payloads } from '../../council/breadcrumbs.ts';
import type { CallServices, WorkflowStart } from '../../council/call/once.ts';
import { type Seat, tryAuthor } from '../../council/council.ts';
import { type Debate, debate, type HeardDebate, planDebates } from '../../council/debate.ts';
import { describeContest, renderDecisions } from '../../council/decisions.ts';
import { addLoss } from '../../council/health.ts';
import { type JudgeBallots, judge } from '../../council/judge.ts';
import { countDispositions, type Resolution, renderResolutions, resolve } from '../../council/resolutions.ts';
import { type Approach, renderSynthesis, type Sketched, sketch, synthesise } from '../../council/sketch.ts';
import { workerState } from '../../engine/run-directory.ts';
import type { Outcome, WorkflowContext } from '../../engine/workflow.ts';
import { checkDiagram, diagramBody, diagramIssues, parseMermaid } from '../../plan/diagram.ts';
import { renderPlan } from '../../plan/plan-text.ts';
import type { Commission } from '../../prompts/panel/common.ts';
import { diagramPrompt, planPrompt } from '../../prompts/panel/plan.ts';
import { fileKind } from '../../repo/index/snapshot.ts';
import { logIssues } from './caller.ts';
import { type Deliberation, type DesignInputs, Desk, type SeatedTable } from './desk.ts';
import { clarify, discussOpenPoints, discussScope } from './discussions.ts';
import { type IsolatedJob, type IsolatedResult, runIsolatedPhase } from './isolated-phase.ts';
import { afterFailures, freshJury, noteAbsent, setup } from './step-0-setup.ts';
import { chooseBranch } from './step-1-branch.ts';
import { adoptPlan, writePlan } from './step-2b-plan.ts';
import { reviewPlan } from './step-3-review.ts';
import { handOver, showRejected } from './step-5-hand-over.ts';
import { settleTree } from './tree.ts';

/** `charrette design`: the steps in order (L-020); each gets what it needs and none can end the run early. */
export async function design(...run: WorkflowStart<DesignInputs>): Promise<Outcome> {
  const desk = new Desk(...run);
  const { auto, quick, subagent } = desk.inputs;
  const table = await setup(desk); //                                                0     health, seats
  const commission = await settleScope(desk, table); //                              1-1d  branch, questions, scope
  if (!subagent || quick) {
    const made = await deliberate(desk, table, commission); //                       2a-3  sketches to reviewed plan
    return handOver(desk, await conclude(desk, commission, made)); //                3.5-5
  }
  const made = await runIsolatedPhase(desk, { table, commission }); //               2a-3  in a separate process,
  return handOver(desk, auto ? made : await conclude(desk, commission, made)); //          with --auto up to step 4
}

async function settleScope(desk: Desk, table: SeatedTable): Promise<Commission> {
  const branched = await chooseBranch(desk, commissionOf(desk)); //                  1     a branch for the feature
  await settleTree(desk, 'questions', { withAuto: false });
  const clarified = await clarify(desk, table.author, branched); //                  1c    clarifying questions
  await settleTree(desk, 'discussion', { withAuto: false });
  const commission = await discussScope(desk, table.author, clarified); //           1d    scope discussion
  await settleTree(desk, 'sketches');
  return commission;
}

/** L-252: the part that asks you nothing. */
async function deliberate(desk: Desk, seated: SeatedTable, commission: Commission): Promise<Deliberation> {
  const informed = { ...commission, ...(await scout(desk)) };
  const { sketches, table } = await sketchAll(desk, seated, informed); //            2a    independent sketches
  const approach = await synthesise(desk, table.author, commission, sketches); //    2a.4  one approach
  await keepApproach(desk, approach);
  const resolutions = await settleDecisions(desk, table, commission, approach); //   2a.5  debates and verdicts
  const first = await writePlan(desk, table.author, { commission: informed, approach, resolutions }); // 2b
  const settled = { decisions: approach.decisions, resolutions };
  const reviewed = await reviewPlan(desk, table, first, { ...settled, commission }); // 3  review, vote, revision
  return { ...settled, ...reviewed, revisedAfterReview: false };
}

async function conclude(desk: Desk, commission: Commission, made: Deliberation): Promise<Deliberation> {
  const last = await discussOpenPoints(desk, commission, made); //                   3.5   what is still open
  await drawDiagram(desk, last.table.author, last.plan); //                          3b    architecture diagram
  showRejected(desk, last.review); //                                                4     what was not implemented
  return last;
}

/** `charrette plan edit`: your own version of a plan, checked and reviewed like any other. */
export async function reviewEdited(...run: WorkflowStart<DesignInputs>): Promise<Outcome> {
  const desk = new Desk(...run);
  const table = await setup(desk);
  const commission = commissionOf(desk);
  const plan = await adoptPlan(desk, table.author, commission);
  const settled = { decisions: [], resolutions: [] };
  const reviewed = await reviewPlan(desk, table, plan, { ...settled, commission });
  await drawDiagram(desk, reviewed.table.author, reviewed.plan);
  showRejected(desk, reviewed.review);
  return handOver(desk, { ...settled, ...reviewed, revisedAfterReview: false });
}

function commissionOf({ inputs }: Desk): Commission {
  return { description: inputs.feature, brief: inputs.brief };
}

/** The isolated phase as a separate run, started by the worker process. */
export async function isolatedDesign(
  context: WorkflowContext,
  services: CallServices,
  { start, ...inputs }: DesignInputs & { start: IsolatedJob['start'] },
): Promise<Outcome> {
  const desk = new Desk(context, services, inputs);
  const made = await deliberate(desk, start.table, start.commission);
  const last = inputs.auto ? await conclude(desk, start.commission, made) : made;
  const { warnings } = desk;
  const result: IsolatedResult = { made: last, warnings, degraded: context.degraded };
  await context.step('keep the design', () => writeJsonAtomic(workerState(context.live.directory), result));
  return { status: 'done', exit: 0 };
}

/** Step 2a, which ends with its synthesis. */
async function sketchAll(
  desk: Desk,
  table: SeatedTable,
  commission: Commission,
): Promise<{ sketches: Sketched[]; table: SeatedTable }> {
  desk.begin('2a');
  if (table.sketchers.length === 0) {
    desk.skip('none asked for');
    return { sketches: [], table };
  }
  const mode = desk.inputs.quick ? 'quick' : 'regular';
  const { sketches, replies } = await sketch(desk, table.sketchers, commission, mode);
  return { sketches, table: await afterFailures(desk, table, 'sketches', replies) };
}

/** What the scout finds, as evidence for those who sketch and plan. Nothing when it is not in the run, or is alone in it. */
async function scout(desk: Desk): Promise<Pick<Commission, 'evidence'>> {
  const { agents } = desk.services;
  const own = [...agents.values()].find(({ family }) => family === 'static');
  if (own === undefined || desk.isRuleBased) return {};
  const seat: Seat = { id: 'scout', label: 'Scout', agents: [own.id] };
  const reply = await tryAuthor(desk, seat, {
    key: 'scout',
    kind: 'evidence',
    judgement: 'plan',
    draft: (schema) => planPrompt({ commission: { description: desk.inputs.feature }, schema }),
    facts: {},
  });
  if (reply.value === undefined) return {};
  const evidence = renderPlan(reply.value);
  await desk.artifact('scout-brief.txt', evidence);
  return { evidence };
}

/** Step 2a.4, its files: the one approach, and what stays contested. */
async function keepApproach(desk: Desk, { synthesis, decisions }: Approach): Promise<void> {
  const text = synthesis === undefined ? undefined : renderSynthesis(synthesis);
  await desk.artifact('approach-synthesis.txt', text ?? 'NO_SKETCHES\n');
  await desk.artifact('contested-decisions.md', renderDecisions(decisions));
  if (text === undefined) return;
  desk.show('Approach Synthesis', text);
  // L-046: a caller reads the body in its file and gets one line here.
  desk.end(desk.inputs.caller === undefined ? undefined : payloads.synthesisSaved);
}

/** Step 2a.5: contested decisions are debated, then judged; each gets a resolution (L-477…L-535). */
async function settleDecisions(
  desk: Desk,
  table: SeatedTable,
  commission: Commission,
  { synthesis, decisions }: Approach,
): Promise<Resolution[]> {
  desk.begin('2a.5');
  if (decisions.length === 0) {
    await desk.artifact('dialectic-resolutions.md', '');
    desk.skip(payloads.noContestedDecisions);
    return [];
  }
  const { dialectic, debates: layout } = desk.inputs;
  const bothOrders = dialectic === 'binding';
  const plan = planDebates(decisions, { buckets: table.buckets, layout });
  // A caller reads only the breadcrumbs.
  if (dialectic !== 'off' && desk.inputs.caller === undefined && !desk.inputs.subagent)
    for (const { decision } of plan.queued) desk.note(describeContest(decision));
  const debates: Debate[] =
    dialectic === 'off'
      ? decisions.map((decision) => ({ kind: 'off', decision }))
      : await debate(desk, plan, { commission, synthesis });
  for (const { label, planned } of table.buckets.filter(({ agent, planned }) => agent === '' && planned)) {
    const isSkipped = debates.some((each) => each.kind === 'skipped' && each.label === label);
    if (planned !== undefined && isSkipped)
      addLoss(desk.context.degraded, {
        ...{ role: 'debate', seat: label, planned: planned.agent, actual: null },
        reason: planned.down ?? 'unavailable',
      });
  }
  const heard = debates.filter((each) => each.kind === 'heard');
  const ballots = heard.length === 0 ? [] : await hearJudges(desk, table, heard);
  const resolutions = resolve(debates, ballots, { bothOrders });
  const text = renderResolutions(resolutions);
  await desk.artifact('dialectic-resolutions.md', text);
  desk.show('Dialectic Resolutions', text);
  desk.end(dialecticPayload(countDispositions(resolutions)));
  return resolutions;
}

async function hearJudges(
  desk: Desk,
  { announced }: SeatedTable,
  debates: readonly HeardDebate[],
): Promise<JudgeBallots[]> {
  const { dialectic, feature: neutral } = desk.inputs;
  const jury = await freshJury(desk, announced);
  noteAbsent(desk, jury, 'judge');
  return judge(desk, debates, jury.judges, { bothOrders: dialectic === 'binding', neutral });
}

/** Step 3b: one picture of the architecture, promoted only when it is safe and parses (L-740…L-761). */
async function drawDiagram(desk: Desk, author: Seat, plan: Plan): Promise<void> {
  desk.begin('3b');
  // L-762: documents and settings have no architecture to draw.
  if (plan.files.every(({ path }) => fileKind(path) !== 'source'))
    return desk.skip('the plan changes no source file');
  const reply = await tryAuthor(desk, author, {
    key: 'diagram',
    kind: 'diagram',
    judgement: 'diagram',
    draft: (schema) => diagramPrompt({ plan: renderPlan(plan), schema }),
    facts: { plan },
  });
  const drawn = reply.value ?? { mermaid: null, reason: reply.message ?? null };
  const outcome = await desk.context.step('check diagram', () =>
    checkDiagram(drawn.mermaid, drawn.reason, parseMermaid),
  );
  if (outcome.status === 'ok') {
    await desk.artifact('architecture-diagram.md', outcome.file);
    desk.show('Architecture Diagram', diagramBody(outcome.file));
    return desk.end(desk.inputs.caller === undefined ? payloads.diagramGenerated : payloads.saved);
  }
  const warning = diagramWarning(outcome, desk.elapsed(), desk.inputs.prefix);
  if (warning !== undefined) desk.warn(warning);
  const issues = diagramIssues(outcome);
  if (issues.length > 0) await logIssues(desk, 'Warnings', issues);
  desk.end();
}
