import { type Defence, type Side, sides } from '../../base/schema/judgements/defence.ts';
import { toLines, unwrapBold } from '../../base/text/labelled-block.ts';
import { withoutLast } from '../../base/text/without-last.ts';

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

/** What stands between the first opening of a tag and its next closing; two searches, so that it stays linear. */
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
  return token === undefined ? undefined : withoutLast(token.trim(), '.*_`').replace(/^[*`]+/, '');
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
