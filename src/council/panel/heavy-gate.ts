import { noPrefix, type StepPrefix, stepName } from './breadcrumbs.ts';

/** L-256, L-257, C-08: what the heavy phase must leave behind. */
export const heavyArtifacts = {
  notEmpty: ['plan.txt', 'approach-synthesis.txt', 'voting-tally.md'],
  exists: [
    'contested-decisions.md',
    'oos.md',
    'rejected-findings.md',
    'accepted-plan-findings.md',
    'dialectic-resolutions.md',
  ],
} as const;

/** Size of each file in bytes; a file that is not there has no entry. */
export type ArtifactSizes = Readonly<Record<string, number>>;

export type HeavyResult = { status: 'complete' } | { status: 'failed'; reason: string };

export const yieldedWithoutArtifacts = 'worker-yielded-without-artifacts';

/** L-253, L-254: the first line of a worker's answer that is a status; anything else is no status. */
export function parseHeavyStatus(text: string): HeavyResult | undefined {
  const first = text.trimStart().split('\n')[0]?.trim() ?? '';
  if (first === 'DESIGN_HEAVY=complete') return { status: 'complete' };
  const reason = /^DESIGN_HEAVY=failed REASON=([A-Za-z0-9._-]{1,80})$/.exec(first)?.[1];
  return reason === undefined ? undefined : { status: 'failed', reason };
}

export function renderHeavyStatus(result: HeavyResult): string {
  return result.status === 'complete'
    ? 'DESIGN_HEAVY=complete'
    : `DESIGN_HEAVY=failed REASON=${result.reason}`;
}

/** L-255, F-02, F-03: words alone never count; without status or artifacts the phase failed. */
export function heavyGate(text: string, sizes: ArtifactSizes): HeavyResult {
  const claimed = parseHeavyStatus(text);
  if (claimed?.status === 'failed') return claimed;
  if (!claimed || missingArtifacts(sizes).length > 0)
    return { status: 'failed', reason: yieldedWithoutArtifacts };
  return claimed;
}

/** The artifacts that are missing, or empty where they must not be. */
export function missingArtifacts(sizes: ArtifactSizes): string[] {
  return [
    ...heavyArtifacts.notEmpty.filter((name) => !((sizes[name] ?? 0) > 0)),
    ...heavyArtifacts.exists.filter((name) => sizes[name] === undefined),
  ];
}

/** L-263, L-264, L-031 */
export function heavyFailureWarning(
  reason: string,
  nested: boolean,
  directory: string,
  prefix: StepPrefix = noPrefix,
): string {
  const rest = nested
    ? 'No design manifest will be exported. Parent /implement will see MANIFEST_FAILED at Step 1 and re-invoke /design.'
    : `Preserving ${directory} for inspection.`;
  return `**⚠ ${stepName('2a', prefix)} — heavy worker subagent failed: ${reason}. ${rest}**`;
}
