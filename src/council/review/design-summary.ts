import { readAccepted, readOutOfScope, readRejected } from './outcome-files.ts';

/** L-254: what a caller wants to know of a finished heavy phase, without reading the files. */
export type DesignSummary = {
  schema_version: 1;
  /** Paths are relative to this file. */
  plan_path: string;
  review_tally_path: string;
  /** panel/C-37: a discussion changed the plan after its review. */
  revised_after_review: boolean;
  finding_counts: {
    in_scope_accepted: number;
    in_scope_rejected: number;
    oos_accepted: number;
    oos_rejected: number;
  };
};

/** Counts the blocks of the outcome files. */
export function designSummary(
  paths: { plan: string; tally: string },
  files: { accepted: string; rejected: string; outOfScope: string },
  revisedAfterReview: boolean,
): DesignSummary {
  const observations = readOutOfScope(files.outOfScope);
  const accepted = observations.filter(({ outcome }) => outcome === 'accepted').length;
  return {
    schema_version: 1,
    plan_path: paths.plan,
    review_tally_path: paths.tally,
    revised_after_review: revisedAfterReview,
    finding_counts: {
      in_scope_accepted: readAccepted(files.accepted).length,
      in_scope_rejected: readRejected(files.rejected).length,
      oos_accepted: accepted,
      oos_rejected: observations.length - accepted,
    },
  };
}
