import type { ChangeSeverity } from '../../base/schema/judgements/change-review.ts';
import type { DesignInputs } from '../design/desk.ts';
import type { Known } from './baseline.ts';
import type { Earlier } from './earlier.ts';
import type { Subject } from './subject.ts';

export const bars = ['blocking', 'major', 'any', 'never'] as const;

/** What `review` was asked to do, settled before the run starts. Seats, health and budget are those of a design. */
export type ReviewInputs = DesignInputs & {
  subject: Subject;
  /** a finding of this severity or above ends the run with exit 6. */
  failOn: (typeof bars)[number];
  /** what was decided about findings before. */
  known: Known[];
  /** the review before this one, whose findings are looked up again. */
  earlier?: Earlier;
};

/** Whether a severity reaches the bar. */
export function reaches(severity: ChangeSeverity, failOn: ReviewInputs['failOn']): boolean {
  if (failOn === 'never') return false;
  return failOn === 'any' || severity === 'blocking' || severity === failOn;
}
