/** L-792, L-793: what a manifest holds, in the order of its lines. */
export type ManifestFile = {
  source: string;
  key: string;
  required: boolean;
  mayBeEmpty: boolean;
  /** L-802: the reader's token when the key is missing. */
  missing?: string;
};

export const manifestFiles = [
  { source: 'plan.txt', key: 'PLAN_FILE', required: true, mayBeEmpty: false, missing: 'missing-plan-file' },
  {
    source: 'voting-tally.md',
    key: 'PLAN_REVIEW_TALLY_FILE',
    required: true,
    mayBeEmpty: false,
    missing: 'missing-plan-review-tally-file',
  },
  {
    source: 'contested-decisions.md',
    key: 'CONTESTED_CRITERIA_FILE',
    required: true,
    mayBeEmpty: true,
    missing: 'missing-contested-criteria-file',
  },
  { source: 'oos.md', key: 'OOS_FILE', required: true, mayBeEmpty: true, missing: 'missing-oos-file' },
  {
    source: 'rejected-findings.md',
    key: 'REJECTED_FINDINGS_FILE',
    required: true,
    mayBeEmpty: true,
    missing: 'missing-rejected-findings-file',
  },
  {
    source: 'accepted-plan-findings.md',
    key: 'ACCEPTED_PLAN_FINDINGS_FILE',
    required: true,
    mayBeEmpty: true,
    missing: 'missing-accepted-plan-findings-file',
  },
  { source: 'architecture-diagram.md', key: 'ARCHITECTURE_DIAGRAM_FILE', required: false, mayBeEmpty: true },
] as const satisfies readonly ManifestFile[];

export const manifestVersion = '1';
export const exportFolder = 'design-export';
export const manifestName = 'manifest.env';

/** C0 controls and DEL, tab included. */
export const controlCharacters = /[\u0000-\u001f\u007f]/;
