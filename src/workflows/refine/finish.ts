import { rm } from 'node:fs/promises';
import type { Outcome } from '../../engine/workflow.ts';
import { branchTip, forwardTo } from '../../repo/git/run-branch.ts';
import { removeWorktree } from '../../repo/git/worktrees.ts';
import type { RefineDesk } from './desk.ts';
import type { Escalation } from './escalate.ts';
import { evaluate, type Ground, judgedCriteria, type LoopState } from './iteration.ts';
import { calibrationWarnings, isScoredTwice } from './rules/calibration.ts';
import { type ReportInput, renderReport, renderSummary } from './rules/report.ts';
import { scoreCard } from './rules/score.ts';
import type { LoopSeats } from './rules/seats.ts';

/** Calibration, report, the result on the person's branch when it was accepted, and what is left where it is. */
export async function finish(
  desk: RefineDesk,
  ground: Ground,
  seats: LoopSeats,
  state: LoopState,
  how: 'accepted' | Exclude<Escalation, 'continue' | 'adjust'>,
): Promise<Outcome> {
  desk.begin('finish', how);
  const accepted = how === 'accepted' || how === 'accept';
  const warnings = accepted ? await calibrate(desk, ground, seats, state) : [];
  for (const warning of warnings) desk.warn(warning);
  const merged = accepted && desk.inputs.merge ? await mergeResult(desk, ground) : false;
  const last = state.records.at(-1);
  const place = merged ? `on ${ground.onto ?? 'HEAD'}` : `on the branch ${ground.branch}`;
  const verdict = describe(how, state, last?.score.total ?? 0);
  const unmeasured =
    last === undefined || last.notMeasured.length === 0
      ? ''
      : ` Not measured: ${last.notMeasured.join(', ')}.`;
  const report: ReportInput = {
    title: desk.inputs.title,
    outcome: `${verdict}; the work is ${place}.${unmeasured}`,
    profile: desk.inputs.profile,
    threshold: desk.inputs.settings.passThreshold,
    iterations: state.records,
    warnings,
  };
  await desk.context.artifact('refine-report.html', renderReport(report));
  await desk.context.artifact('refine-report.md', renderSummary(report));
  await desk.context.step('close checkouts', async () => {
    if (!desk.keepsBuild) await removeWorktree(ground.root, desk.checkout('build'));
    // It has no history of this repository, so git does not know it.
    await rm(desk.checkout('artifact'), { recursive: true, force: true });
  });
  desk.end(verdict);
  const message = `${verdict}; the work is ${place}.${unmeasured}`;
  return accepted ? { status: 'done', exit: 0, message } : { status: 'not-accepted', exit: 6, message };
}

function describe(how: Parameters<typeof finish>[4], { records }: LoopState, total: number): string {
  const after = `after ${records.length} iterations with ${total.toFixed(2)}`;
  if (how === 'accepted') return `accepted ${after}`;
  if (how === 'accept') return `accepted by a person ${after}`;
  if (how === 'switch') return `not accepted ${after}; go on with --path import or --path code`;
  return `not accepted ${after}`;
}

/** Every fifth project is judged twice; the log of totals is what later projects are compared with. */
async function calibrate(
  desk: RefineDesk,
  ground: Ground,
  seats: LoopSeats,
  state: LoopState,
): Promise<string[]> {
  const { calibration: earlier, profile, settings } = desk.inputs;
  const last = state.records.at(-1);
  if (last === undefined) return [];
  const entry = { run: desk.context.live.directory.id, total: last.score.total };
  const second = isScoredTwice(earlier) ? await secondTotal() : undefined;
  const whole = second === undefined ? entry : { ...entry, second };
  const text = `${JSON.stringify({ schemaVersion: 1, entries: [...earlier, whole] }, null, 2)}\n`;
  await desk.context.artifact('calibration-log.json', text);
  await desk.keep('calibration-log.json', text);
  return calibrationWarnings(whole, earlier);

  async function secondTotal(): Promise<number> {
    const evaluation = await evaluate(desk, ground, seats, state.contract, 'evaluate-again');
    const found = (last?.findings ?? []).map(({ id }) => id);
    const judged = judgedCriteria(evaluation, state.contract);
    return scoreCard(profile, judged, { found, slopPatterns: 0 }, settings.passThreshold).total;
  }
}

/** Forward only, and only when the branch has not moved; otherwise it says how to do it by hand. */
async function mergeResult(desk: RefineDesk, { root, base, onto, branch }: Ground): Promise<boolean> {
  const { project } = desk.inputs;
  const result = await desk.context.step('merge', async () => {
    const tip = (await branchTip(root, branch)) ?? base;
    return forwardTo(project, tip, { base, onto });
  });
  if (!result.merged) desk.warn(`Not merged: ${result.reason}. When you are ready: git merge ${branch}`);
  return result.merged;
}
