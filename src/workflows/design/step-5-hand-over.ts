import { constants, existsSync, statSync } from 'node:fs';
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { payloads, rejectedPayload } from '../../council/breadcrumbs.ts';
import {
  designSummary,
  dissents,
  localOnly,
  renderDissent,
  renderRejected,
} from '../../council/outcome-files.ts';
import { renderVoted, votedLines } from '../../council/resolutions.ts';
import type { Outcome } from '../../engine/workflow.ts';
import { renderPlan } from '../../plan/plan-text.ts';
import { exportDesign } from './caller.ts';
import type { Deliberation, Desk, Review } from './desk.ts';
import { writeLedgers } from './ledgers.ts';
import { checkPlan } from './step-2b-plan.ts';

/** Step 4: what was not implemented and why; three texts for three facts, and for a caller the lines it knows (L-780, L-781, C-19). */
export function showRejected(desk: Desk, { raised, rejected }: Review): void {
  desk.begin('4');
  if (rejected.length > 0) desk.show('Unimplemented Plan Review Suggestions', renderRejected(rejected));
  const nested = desk.inputs.caller !== undefined;
  desk.end(rejectedPayload(raised, rejected.length, { nested, compatible: nested }));
}

/** Step 5: the final plan, its last check, the copies, the warnings again (L-840…L-847, C-39). */
export async function handOver(desk: Desk, made: Deliberation): Promise<Outcome> {
  const { decisions, resolutions, plan, review, revisedAfterReview } = made;
  desk.begin('5');
  const dissent = renderDissent(dissents(decisions, resolutions, review.rejected));
  await desk.artifact('plan.txt', renderPlan(plan, { resolutions: renderVoted(resolutions), dissent }));
  const { report } = await checkPlan(desk, 'check the final plan', plan, made, review.accepted);
  if (revisedAfterReview)
    desk.warn('The last discussion changed the plan after its review; these changes are not reviewed.');
  await desk.json('design-summary.json', designSummary(review, revisedAfterReview));
  await writeLedgers(desk);
  const exported = await exportDesign(desk);
  const { out } = desk.inputs;
  if (out !== undefined) {
    const kept = await desk.context.step('copy deliverables', () =>
      copyArtifacts(desk.context.live.directory.artifacts, out),
    );
    desk.note(
      kept.length === 0
        ? `copied to ${out}`
        : `copied to ${out} without notes about security: ${kept.join(', ')} stay in the run's directory`,
    );
  }
  const unfollowed = report.facts
    .filter(({ check, severity }) => check === 'decision' && severity === 'error')
    .map(({ subject }) => subject.split(':')[0] ?? subject);
  for (const line of votedLines(resolutions)) desk.note(`Voted resolution: ${line}`);
  if (desk.warnings.length > 0) {
    desk.note(`${desk.warnings.length} warning(s) of this run:`);
    for (const warning of desk.warnings) desk.note(warning);
  }
  desk.end(desk.inputs.prefix.number === '' ? payloads.complete : undefined);
  return outcomeOf(report.errors, review.blocking, unfollowed, exported);
}

/** The plan counts as accepted when its check has no errors and every accepted blocking finding was dealt with. */
function outcomeOf(
  errors: number,
  blocking: readonly string[],
  unfollowed: readonly string[],
  exported: boolean,
): Outcome {
  if (errors === 0 && blocking.length === 0 && exported) return { status: 'done', exit: 0 };
  const reasons = [
    ...(errors > 0 ? [`the plan check has ${errors} error(s)`] : []),
    ...(unfollowed.length > 0 ? [`the plan does not follow the voted ${unfollowed.join(', ')}`] : []),
    ...(!exported ? ['the manifest for the caller was not written'] : []),
    ...(blocking.length > 0 ? [`accepted blocking findings remain: ${blocking.join(', ')}`] : []),
  ];
  return { status: 'not-accepted', exit: 6, message: reasons.join('; ') };
}

/** Every design writes it: a folder that has it holds the copies of an earlier one. */
const markOfDesign = 'design-summary.json';

/** Files of a design whose names other files may have too. */
const commonNames = [
  'plan.txt',
  'plan.json',
  'plan-check.json',
  'ballot.txt',
  'oos.md',
  'clarifications.md',
  'contested-decisions.md',
  'architecture-diagram.md',
  'rejected-findings.md',
  'voting-tally.md',
];

/** C-39: checks before the run that copies to `--out` can be made and replace no other files. */
export function outFolder(cwd: string, given: string): string {
  const fix = 'Name a folder; a missing one is created.';
  if (given.trim() === '')
    throw new CharretteError({ code: 'usage', message: '--out requires a folder.', fix });
  const folder = path.resolve(cwd, given);
  let place = folder;
  while (!existsSync(place) && place !== path.dirname(place)) place = path.dirname(place);
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory())
    throw new CharretteError({
      code: 'usage',
      message: `The artifacts cannot be copied to ${folder}: ${place} is not a folder.`,
      fix,
    });
  const inTheWay = commonNames.filter((name) => existsSync(path.join(folder, name)));
  if (inTheWay.length === 0 || existsSync(path.join(folder, markOfDesign))) return folder;
  throw new CharretteError({
    code: 'would-overwrite',
    message: `The artifacts cannot be copied to ${folder}: it has files that are not from a design: ${inTheWay.join(', ')}.`,
    fix: 'Name another folder, or move these files.',
  });
}

const rankOf = (name: string) => (name === markOfDesign ? 0 : 1);

/** L-694: a folder of the project is soon committed, so local files are not copied; returns their names. */
export async function copyArtifacts(from: string, to: string): Promise<string[]> {
  await mkdir(to, { recursive: true });
  const names = (await readdir(from)).filter((name) => !name.startsWith('.'));
  // The marker first, so that a killed run leaves a folder that is known to be a design's.
  names.sort((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1));
  const kept = localOnly(names);
  for (const name of names) {
    if (kept.includes(name)) continue;
    const place = path.join(to, name);
    // A link that a repository brought along would lead the copy to a file elsewhere.
    await rm(place, { force: true });
    await copyFile(path.join(from, name), place, constants.COPYFILE_EXCL);
  }
  return kept;
}
