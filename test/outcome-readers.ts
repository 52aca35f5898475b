import { readBlocks } from '../src/base/text/labelled-block.ts';
import type { OutOfScopeEntry, RejectedFinding } from '../src/council/outcome-files.ts';
import { outcomes } from '../src/council/tally.ts';

/** Reads `rejected-findings.md` as a caller does. */
export function readRejected(text: string): RejectedFinding[] {
  return readBlocks(text, /^\[Plan Review\] (.*)$/, ['Finding', 'Reason not implemented', 'Class']).map(
    ({ heading, fields }) => ({
      reviewer: heading[0] ?? '',
      finding: fields.get('Finding') ?? '',
      reason: fields.get('Reason not implemented') ?? '',
      outcome: outcomes.find((each) => each === fields.get('Class')) ?? 'rejected',
    }),
  );
}

const outOfScopeLabels = ['Description', 'Reviewer', 'Vote tally', 'Outcome', 'Phase'];

/** Reads `oos.md` as a caller does. */
export function readOutOfScope(text: string): OutOfScopeEntry[] {
  return readBlocks(text, /^(OOS_\d+): (.*)$/, outOfScopeLabels).map(({ heading, fields }) => ({
    id: heading[0] ?? '',
    title: heading[1] ?? '',
    description: fields.get('Description') ?? '',
    reviewer: fields.get('Reviewer') ?? '',
    tally: fields.get('Vote tally') ?? '',
    outcome: outcomes.find((each) => each === fields.get('Outcome')) ?? 'accepted',
  }));
}
