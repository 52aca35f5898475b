import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Evaluation } from '../../base/schema/judgements/refine.ts';
import { openCheckout, trustCheckout } from '../../repo/git/checkout.ts';
import { branchTip, findLanded, markedMessage, takeWork } from '../../repo/git/run-branch.ts';
import { gitOutput } from '../../repo/git/run-git.ts';
import { addWorktree, removeWorktree } from '../../repo/git/worktrees.ts';
import { measurePage } from './browser/measure-page.ts';
import { type Contract, priorityOf, settleContract, sprintFile } from './rules/contract.ts';
import { findingsOf, type Measured, type Measurement } from './rules/measurement.ts';
import { builderPrompt, evaluationProblems, evaluatorPrompt, refuseLeaks } from './rules/prompts.ts';
import type { IterationRecord } from './rules/report.ts';
import type { Decision } from './rules/score.ts';
import { type JudgedCriterion, passes, type Score, scoreCard } from './rules/score.ts';
import type { LoopSeats } from './rules/settings.ts';
import type { RefineRun } from './run.ts';
import { keepContract } from './stage-contract.ts';

export type Escalation = 'continue' | 'accept' | 'adjust' | 'switch' | 'stop';

const labels: Readonly<Record<Escalation, string>> = {
  continue: 'Continue',
  accept: 'Accept the present page',
  adjust: 'Say what to change, then continue',
  switch: 'Stop and take the other path (import or code)',
  stop: 'Stop; the work stays on its branch',
};

/** Asks a person: when the loop has come to its end, or once on the way after so many failed iterations. */
export async function escalate(
  run: RefineRun,
  decision: Exclude<Decision, { kind: 'accept' }>,
  iteration: number,
  totals: readonly number[],
): Promise<{ choice: Escalation; request?: string }> {
  const isEnd = decision.kind === 'escalate';
  const reason = !isEnd
    ? `${iteration} iterations have not passed`
    : decision.reason === 'stagnation'
      ? 'the last two iterations improved too little'
      : `all ${totals.length} iterations are used up`;
  const options: Escalation[] = isEnd
    ? ['accept', 'adjust', 'switch', 'stop']
    : ['continue', 'accept', 'adjust', 'switch', 'stop'];
  const id = `escalation-${iteration}`;
  const answers = await run.context.ask([
    {
      id,
      text: `The page is not accepted: ${reason}. What now?`,
      detail: `Totals so far: ${totals.map((total) => total.toFixed(2)).join(', ')}. Pictures and findings are in the run's artifacts.`,
      options: options.map((value) => ({ value, label: labels[value] })),
      // Only you may lower the bar.
      recommended: isEnd ? 'stop' : 'continue',
    },
  ]);
  const choice = (answers.get(id)?.value ?? 'stop') as Escalation;
  if (choice !== 'adjust') return { choice };
  const requestId = `wish-${iteration}`;
  const changed = await run.context.ask([{ id: requestId, text: 'What should change?' }]);
  return { choice, request: changed.get(requestId)?.value ?? '' };
}

/** The files of a commit in a separate folder without history, so that judges see only the present state. */
async function exportArtifact(root: string, target: string, commit: string): Promise<void> {
  await removeWorktree(root, target);
  await rm(target, { recursive: true, force: true });
  await addWorktree(root, target, commit);
  const { record } = await trustCheckout(root, target);
  await rm(path.join(target, '.git'), { force: true });
  await rm(record, { recursive: true, force: true });
  await gitOutput(target, ['init', '--quiet', '--template=']);
}

/** The repository of a run: its top, the project inside it, where the run began and the branch that collects the work. */
export type Ground = { root: string; prefix: string; base: string; onto: string | undefined; branch: string };

/** What the loop carries from one iteration to the next. */
export type LoopState = {
  contract: Contract;
  records: IterationRecord[];
  advice: string[];
  problems: string[];
  requests: string[];
};

/** Sprint contract → build → measure → judge → score → states. */
export async function runIteration(
  run: RefineRun,
  ground: Ground,
  seats: LoopSeats,
  state: LoopState,
  iteration: number,
): Promise<LoopState> {
  run.begin(`iteration-${iteration}`, `${run.inputs.artifact}`);
  await writeSprint(run, state, iteration);
  const { commit, files } = await build(run, ground, seats, state, iteration);
  const folder = run.checkout('artifact');
  await run.context.step(`artifact ${iteration}`, async () => exportArtifact(ground.root, folder, commit));
  const { measurement, measured } = await measure(run, ground, iteration);
  const evaluation = await evaluate(run, ground, seats, state.contract, `evaluate-${iteration}`);
  const score = scoreOf(run, evaluation, state.contract, measurement, measured);
  const { settings, profile } = run.inputs;
  const passed = passes(score, { threshold: settings.passThreshold, strict: settings.strict, iteration });
  const settled = settleContract(state.contract, profile, judgedCriteria(evaluation, state.contract));
  const record: IterationRecord = {
    iteration,
    commit,
    files,
    score,
    passed,
    findings: measured.findings,
    notes: measured.notes,
    contrast: measured.contrast,
    notMeasured: measured.notMeasured,
    reason: measurement.measured ? undefined : measurement.reason,
    screenshots: measurement.measured ? measurement.screenshots : [],
    criteria: {
      passed: settled.contract.criteria.filter((criterion) => criterion.state === 'passed').length,
      of: settled.contract.criteria.length,
    },
    regressions: settled.regressions,
  };
  await run.json(`evaluation-report-${iteration}.json`, {
    schemaVersion: 1,
    ...record,
    threshold: settings.passThreshold,
    evaluation,
    slop: measured.slop,
  });
  await keepContract(run, settled.contract);
  if (!measurement.measured)
    run.warn(`Not measured: ${measurement.reason}. Rows that need a browser do not count.`);
  run.end(describe(record));
  return {
    contract: settled.contract,
    records: [...state.records, record],
    advice: evaluation.advice,
    problems: problemsOf(measured, measurement),
    requests: state.requests,
  };
}

async function writeSprint(run: RefineRun, state: LoopState, iteration: number): Promise<void> {
  const { profile, settings, documents } = run.inputs;
  const file = sprintFile(state.contract, profile, {
    iteration,
    priority: priorityOf(profile, state.records.at(-1)?.score.dimensions ?? []),
    threshold: settings.passThreshold,
    createdAt: run.time,
    documents,
  });
  await run.json(`sprint-${iteration}.json`, file);
  await run.keep(`${state.contract.id}/sprint-${iteration}.json`, `${JSON.stringify(file, null, 2)}\n`);
}

async function build(run: RefineRun, ground: Ground, seats: LoopSeats, state: LoopState, iteration: number) {
  const { root, branch, base, prefix } = ground;
  const { inputs, context } = run;
  const checkout = run.checkout('build');
  const trailer = `Charrette-Iteration: ${context.live.directory.id}/${iteration}.`;
  const start = await context.step(`checkout ${iteration}`, async () => {
    const landed = await findLanded(root, branch, base, trailer);
    const tip =
      landed === undefined ? ((await branchTip(root, branch)) ?? base) : await parentOf(root, landed.commit);
    await openCheckout(root, checkout, tip);
    return tip;
  });
  const { value } = await run.askOne(seats.builder, {
    key: `build-${iteration}`,
    kind: 'build',
    judgement: 'execution',
    draft: (schema) =>
      builderPrompt({
        block: inputs.block,
        brief: inputs.brief,
        artifact: inputs.artifact,
        criteria: state.contract.criteria,
        priority: priorityOf(inputs.profile, state.records.at(-1)?.score.dimensions ?? []),
        problems: state.problems,
        advice: state.advice,
        requests: state.requests,
        brandNotes: brandNotes(run),
        imported: inputs.imported,
        schema,
      }),
    place: { directory: path.join(checkout, prefix), access: 'write', start: { checkout, commit: start } },
  });
  const built = await context.step(`commit ${iteration}`, async () => {
    const landed = await findLanded(root, branch, base, trailer);
    if (landed !== undefined) return { ...landed, ignored: [] };
    const message = markedMessage([`Refine ${inputs.artifact}`, value.summary], [trailer]);
    const taken = await takeWork(root, checkout, { branch, start, message });
    if (taken.kind === 'landed') return taken;
    return { commit: start, files: [], ignored: taken.kind === 'nothing' ? taken.ignored : [] };
  });
  if (built.files.length === 0) {
    run.warn('The builder changed nothing.');
    if (built.ignored.length > 0) run.keepBuild(built.ignored);
  }
  return built;
}

async function parentOf(root: string, commit: string): Promise<string> {
  return (await gitOutput(root, ['rev-parse', `${commit}^`])).trim();
}

/** M-053: what the brand holds against documents, reported to the builder. */
function brandNotes({ inputs }: RefineRun): string[] {
  const { brand } = inputs;
  return [...(brand?.documentConflicts ?? []), ...(brand?.tokenConflicts ?? [])].map(
    ({ name, source, found, brand: held }) => `${name}: ${held} holds, not ${found} (${source})`,
  );
}

async function measure(
  run: RefineRun,
  { prefix }: Ground,
  iteration: number,
): Promise<{ measurement: Measurement; measured: Measured }> {
  const { artifact, copy, brand } = run.inputs;
  const folder = path.join(run.checkout('artifact'), prefix);
  run.note(`looking at iteration ${iteration} of ${artifact} in a browser`);
  const measurement = await run.context.step(`measure ${iteration}`, async (signal): Promise<Measurement> => {
    if (!existsSync(path.join(folder, artifact)))
      return { measured: false, reason: `no page at ${artifact}` };
    return measurePage({
      folder: path.join(folder, path.dirname(artifact)),
      page: path.basename(artifact),
      environment: process.env,
      screenshots: { folder: run.context.live.directory.artifacts, prefix: `screenshot-${iteration}` },
      signal,
    });
  });
  const measured = findingsOf(measurement, { copy, identity: brand?.identity });
  await run.json(`measurement-${iteration}.json`, { schemaVersion: 1, ...measurement, ...measured });
  return { measurement, measured };
}

/** A fresh session that gets the path of the brief, the states of the contract and the path of the artifact. */
export async function evaluate(
  run: RefineRun,
  { prefix }: Ground,
  seats: LoopSeats,
  contract: Contract,
  key: string,
): Promise<Evaluation> {
  const folder = path.join(run.checkout('artifact'), prefix);
  const contracted = contract.criteria.map(({ id }) => id);
  const { value } = await run.askOne(seats.evaluator, {
    key,
    kind: 'evaluate',
    judgement: 'evaluation',
    facts: { criteria: contracted.map((id) => ({ id })) },
    // RF-06: exactly the contracted criteria, each number at its anchor.
    check: (evaluation) => evaluationProblems(evaluation, contracted),
    inspect: refuseLeaks,
    draft: (schema) =>
      evaluatorPrompt({
        profile: run.inputs.profile,
        briefPath: run.briefPath,
        documents: run.inputs.references,
        artifactPath: path.join(folder, run.inputs.artifact),
        criteria: contract.criteria,
        schema,
      }),
    place: { directory: folder, access: 'read' },
  });
  return value;
}

export function judgedCriteria({ criteria }: Evaluation, contract: Contract): JudgedCriterion[] {
  return criteria.flatMap(({ id, checks }) => {
    const known = contract.criteria.find((criterion) => criterion.id === id);
    return known === undefined ? [] : [{ id, dimension: known.dimension, checks }];
  });
}

function scoreOf(
  run: RefineRun,
  evaluation: Evaluation,
  contract: Contract,
  measurement: Measurement,
  measured: Measured,
): Score {
  const { profile, settings } = run.inputs;
  const score = scoreCard(
    profile,
    judgedCriteria(evaluation, contract),
    { found: measured.findings.map(({ id }) => id), slopPatterns: measured.slop.length },
    settings.passThreshold,
  );
  const hasNoPage = !measurement.measured && measurement.reason.startsWith('no page');
  return hasNoPage ? { ...score, mustPassFailures: [...score.mustPassFailures, measurement.reason] } : score;
}

function problemsOf(measured: Measured, measurement: Measurement): string[] {
  return [
    ...(measurement.measured ? [] : [`not measured: ${measurement.reason}`]),
    ...measured.findings.map(({ id, detail }) => `${id}: ${detail}`),
    ...measured.contrast.map(
      ({ element, foreground, background, actual, needed, alternatives }) =>
        `contrast of ${element}: ${foreground} on ${background} is ${actual}:1, needed ${needed}:1; these pass: ${alternatives.join(', ')}`,
    ),
    ...measured.notes,
  ];
}

function describe({ score, passed, criteria }: IterationRecord): string {
  const failures =
    score.mustPassFailures.length === 0 ? '' : `, must pass: ${score.mustPassFailures.join(', ')}`;
  return `${score.total.toFixed(2)}${passed ? ' passed' : ''}, ${criteria.passed} of ${criteria.of} criteria${failures}`;
}
