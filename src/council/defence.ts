import { type Defence, type Side, sides } from '../base/schema/judgements/debate.ts';
import { citationsIn } from '../base/text/citations.ts';
import { toLines, unwrapBold } from '../base/text/labelled-block.ts';
import { trimEndChars } from '../base/text/strings.ts';

/** C-25: tag names in text and the keys they have in the typed defence, in order. */
export const defenceTags = [
  ['steelman', 'steelman'],
  ['claim', 'claim'],
  ['evidence', 'evidence'],
  ['strongest_concession', 'strongestConcession'],
  ['counter_to_opposition', 'counterToOpposition'],
  ['risk_if_wrong', 'riskIfWrong'],
] as const;

export type DefenceTag = (typeof defenceTags)[number][0];

/** What a debater's answer holds, before anybody judged whether that is enough. */
export type DefenceReading = {
  /** There was no text at all. */
  blank: boolean;
  tags: Partial<Record<DefenceTag, string>>;
  /** The token of every RECOMMEND line, as written. */
  recommends: string[];
};

const names = defenceTags.map(([name]) => name).join('|');
const escapable = new RegExp(`(&(?:amp;)*lt;|<)(?=/?(?:${names}|defense_content)\\b)`, 'gi');

/** Makes a text safe inside our tags: their names can no longer open or close anything (L-941). */
export function escapeTags(text: string): string {
  return text.replace(escapable, (found) => (found === '<' ? '&lt;' : `&amp;${found.slice(1)}`));
}

export function unescapeTags(text: string): string {
  return text.replace(escapable, (found) =>
    found.startsWith('&amp;') ? `&${found.slice(5)}` : found === '&lt;' ? '<' : found,
  );
}

/** A typed defence as the text artifact: six tags and one RECOMMEND line. */
export function renderDefence(defence: Defence): string {
  const tags = defenceTags.map(([name, key]) => `<${name}>\n${escapeBody(defence[key])}\n</${name}>`);
  return `${tags.join('\n\n')}\n\nRECOMMEND: ${defence.recommend}\n`;
}

/** Reads a defence from text; narration around the tags does not matter, the first body of a tag counts. */
export function readDefence(text: string): DefenceReading {
  const tags: DefenceReading['tags'] = {};
  for (const [name] of defenceTags) {
    const body = tagBody(text, name);
    if (body !== undefined) tags[name] = unescapeBody(body.trim());
  }
  return {
    blank: text.trim() === '',
    tags,
    recommends: toLines(text).flatMap((line) => recommendToken(line) ?? []),
  };
}

/** The text between the first opening of a tag and its next closing; two searches keep it linear. */
function tagBody(text: string, name: string): string | undefined {
  const open = new RegExp(`<${name}>`, 'i').exec(text);
  if (!open) return undefined;
  const start = open.index + open[0].length;
  const length = text.slice(start).search(new RegExp(`</${name}>`, 'i'));
  return length < 0 ? undefined : text.slice(start, start + length);
}

/** A typed defence in the same shape, so that one gate serves both. */
export function defenceReading(defence: Defence): DefenceReading {
  return {
    blank: false,
    tags: Object.fromEntries(defenceTags.map(([name, key]) => [name, defence[key]])),
    recommends: [defence.recommend],
  };
}

/** L-501, L-502: the side of a RECOMMEND token; case does not matter, the underscore does. */
export function sideOf(token: string): Side | undefined {
  return sides.find((side) => side === token.toUpperCase());
}

function recommendToken(line: string): string | undefined {
  const token = /^recommend:(.*)$/i.exec(unwrapBold(line))?.[1];
  return token === undefined ? undefined : trimEndChars(token.trim(), '.*_`').replace(/^[*`]+/, '');
}

function escapeBody(body: string): string {
  return escapeTags(body)
    .split('\n')
    .map((line) => (recommendToken(line.replace(/^\\+/, '')) === undefined ? line : `\\${line}`))
    .join('\n');
}

function unescapeBody(body: string): string {
  return unescapeTags(body)
    .split('\n')
    .map((line) =>
      line.startsWith('\\') && recommendToken(line.replace(/^\\+/, '')) !== undefined ? line.slice(1) : line,
    )
    .join('\n');
}

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
  return `**⚠ ${tool} dialectic debate (decision ${number}, ${side}) failed: ${trimEndChars(reason, '.')}. Bucket truncated; synthesis decision stands.**`;
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
