import type { AuthoredKey } from '../../prompts/author/write.ts';
import { type ResumeState, withFixSummary } from '../../prompts/resume/state.ts';
import { travelBack } from './backward.ts';
import type { CommitKind } from './commit.ts';
import type { FeatureDesk } from './desk.ts';
import { reviseDocument } from './document.ts';
import type { DocumentPhase, FeaturePhaseInputs } from './inputs.ts';
import { looking, recordReview } from './records.ts';
import { type RoleReview, reviewRole } from './review.ts';
import { fixSummary } from './rules/fix-summary.ts';
import type { GateResult } from './rules/gate.ts';
import type { Phase } from './rules/phases.ts';
import type { ReviewIssue } from './rules/review-answer.ts';

/** Who looks at the documents now, and which one is revised after a rejection. */
export type Turn = {
  asked: Omit<RoleReview, 'feature' | 'command'> & { command: DocumentPhase };
  revises: AuthoredKey;
  /** Whether another round of the same reviewers follows such a result: without one nothing is revised. */
  goesOn: (result: GateResult) => boolean;
  /** What a revision makes stale is made anew. */
  afterRevision?: () => Promise<void>;
};

export type Turned = {
  result: GateResult;
  state: ResumeState;
  /** Absent: the answer could not be read. */
  issues?: readonly ReviewIssue[];
  /** Present after a revision. */
  revised?: { commit: CommitKind | undefined };
  /** §2F: the phase that comes again. */
  back?: Phase;
};

/** One look of one reviewer and what comes of it: going back, a revision or nothing; on record in every case (T-075, lean/C-23). */
export async function takeTurn(desk: FeatureDesk<FeaturePhaseInputs>, turn: Turn): Promise<Turned> {
  const { asked, revises, goesOn, afterRevision } = turn;
  const { command, role, iteration, max, retry } = asked;
  const name = `${role} ${iteration}${retry ? ' again' : ''}`;
  const reviewed = await looking(desk, name, (feature) => reviewRole(desk, { ...asked, feature }));
  const { answer, result, label } = reviewed;
  const back = answer === undefined ? undefined : await travelBack(desk, label, { answer, result });
  const fails = back === undefined && result.gate === 'fail' && goesOn(result);
  const revised =
    fails && answer !== undefined
      ? await reviseDocument(desk, revises, { answer, result, command, role, iteration, max })
      : undefined;
  if (revised !== undefined) await afterRevision?.();
  await recordReview(desk, label, {
    command,
    role,
    iteration,
    time: new Date(reviewed.time).toISOString(),
    result,
    issues: answer?.issues ?? [],
    markers: reviewed.markers,
    ...(revised === undefined ? {} : { changes: revised.changes }),
    ...(back === undefined ? {} : { changes: `Went back to ${back}` }),
  });
  return {
    result,
    state:
      revised?.written === true
        ? withFixSummary(reviewed.state, iteration, fixSummary(result.open))
        : reviewed.state,
    ...(answer === undefined ? {} : { issues: answer.issues }),
    ...(revised === undefined ? {} : { revised: { commit: revised.commit } }),
    ...(back === undefined ? {} : { back }),
  };
}
