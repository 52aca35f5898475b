import type { Side } from '../../base/schema/judgements/defence.ts';
import { citationsIn } from '../../base/text/citations.ts';
import { withoutLast } from '../../base/text/without-last.ts';
import { type DefenceReading, type DefenceTag, defenceTags, sideOf } from './defence-text.ts';

/** L-501 and the pre-check L-500. */
export const ineligibleReasons = [
  'no_output',
  'substantive_empty',
  'missing_tag',
  'bad_recommend',
  'role_mismatch',
  'missing_citation',
] as const;
export type IneligibleReason = (typeof ineligibleReasons)[number];

/** `undefined` when the lane did not end well. */
export type SideAnswer = DefenceReading | undefined;

export type DefenceBodies = Record<DefenceTag, string>;

export type Eligibility =
  | { eligible: true; thesis: DefenceBodies; antithesis: DefenceBodies; warnings: string[] }
  | { eligible: false; reason: IneligibleReason; side: Side; detail: string };

export type EligibilityOptions = {
  /** C-25: accept answers with the older five tags, with a warning. */
  acceptFiveTags?: boolean;
};

/** L-500…L-503: whether both defences may go before the judges. One missing side bars the debate (F-15). */
export function checkEligibility(
  answers: { thesis: SideAnswer; antithesis: SideAnswer },
  options: EligibilityOptions = {},
): Eligibility {
  const { thesis, antithesis } = answers;
  if (!thesis || !antithesis) {
    const side: Side = thesis ? 'ANTI_THESIS' : 'THESIS';
    return { eligible: false, reason: 'no_output', side, detail: 'the debater gave no usable answer' };
  }
  for (const [side, reading] of [
    ['THESIS', thesis],
    ['ANTI_THESIS', antithesis],
  ] as const) {
    const failure = checkSide(reading, side, options);
    if (failure) return { eligible: false, side, ...failure };
  }
  const warnings = [thesis, antithesis].some(({ tags }) => tags.steelman === undefined)
    ? ['A defence came without its steelman and was accepted with five tags.']
    : [];
  return { eligible: true, thesis: bodies(thesis), antithesis: bodies(antithesis), warnings };
}

export type SideFailure = { reason: IneligibleReason; detail: string };

/** The first check of L-501 that one side's answer fails; `undefined` when it passes. */
export function checkSide(
  reading: DefenceReading,
  side: Side,
  { acceptFiveTags = false }: EligibilityOptions = {},
): SideFailure | undefined {
  const { tags, recommends } = reading;
  const present = defenceTags.map(([name]) => name).filter((name) => tags[name] !== undefined);
  const hollow = present.find((name) => !hasSentence(tags[name] ?? ''));
  if (reading.blank) return { reason: 'substantive_empty', detail: 'the answer is empty' };
  if (hollow) return { reason: 'substantive_empty', detail: `<${hollow}> holds no full sentence` };
  const missing = defenceTags
    .map(([name]) => name)
    .find((name) => tags[name] === undefined && !(acceptFiveTags && name === 'steelman'));
  if (missing) return { reason: 'missing_tag', detail: `<${missing}> is missing` };
  const recommended = recommends.length === 1 ? sideOf(recommends[0] ?? '') : undefined;
  if (recommended === undefined) {
    return {
      reason: 'bad_recommend',
      detail: `${recommends.length} RECOMMEND lines: ${recommends.join(', ') || 'none'}`,
    };
  }
  if (recommended !== side)
    return { reason: 'role_mismatch', detail: `recommends ${recommended}, defends ${side}` };
  if (citationsIn(tags.evidence ?? '').length === 0) {
    return { reason: 'missing_citation', detail: '<evidence> has no file:line' };
  }
  return undefined;
}

/** L-503 */
export function quorumWarning(number: number, reason: IneligibleReason): string {
  return `**⚠ Debate for DECISION_${number} failed quorum (reason: ${reason}). Fallback to synthesis.**`;
}

/** L-495 */
export function debateLaneWarning(
  tool: string,
  number: number,
  side: 'thesis' | 'antithesis',
  reason: string,
): string {
  return `**⚠ ${tool} dialectic debate (decision ${number}, ${side}) failed: ${withoutLast(reason, '.')}. Bucket truncated; synthesis decision stands.**`;
}

/** Four words, or eight letters of a script that writes no spaces. */
function hasSentence(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const unspaced =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu) ?? [];
  return words.length >= 4 || unspaced.length >= 8;
}

/** What a side said, under every tag; empty where it said nothing. */
export function bodies({ tags }: DefenceReading): DefenceBodies {
  return Object.fromEntries(defenceTags.map(([name]) => [name, tags[name] ?? ''])) as DefenceBodies;
}
