import { toLines } from './labelled-block.ts';

export type IdLine<Token extends string> = { id: string; token: Token; reason: string };

export type IdLineReading<Token extends string> = {
  lines: IdLine<Token>[];
  /** Ids that came again; the first valid line counts (L-518). */
  repeated: string[];
};

/** Marks that may stand around an id or a token: bold, underline, code. */
const mark = '(?:\\*\\*|__|`)?';

/**
 * Reads lines such as `FINDING_3: YES — reason`. The id is anchored at the start of the line and compared whole, so
 * `FINDING_1` is never found in `FINDING_10` (L-638, F-20). Narration, list markers, bold wrappers and fences around the
 * lines do not matter.
 */
export function readIdLines<Token extends string>(
  text: string,
  prefixes: readonly string[],
  tokens: readonly Token[],
): IdLineReading<Token> {
  const pattern = new RegExp(
    `^(?:[-*+>]\\s+|\\d{1,3}[.)]\\s+)?${mark}(${prefixes.join('|')})_(\\d{1,4})${mark}\\s*:${mark}\\s*${mark}` +
      `(${[...tokens].sort((a, b) => b.length - a.length).join('|')})(?![\\w/|])${mark}(.*)$`,
    'i',
  );
  const lines: IdLine<Token>[] = [];
  const repeated: string[] = [];
  const seen = new Set<string>();
  for (const raw of toLines(text)) {
    const match = pattern.exec(raw.trim());
    const rest = match?.[4] ?? '';
    if (!match || /^\s*(?:[/|]|or\b)/i.test(rest)) continue;
    const id = `${match[1]?.toUpperCase()}_${Number(match[2])}`;
    const token = tokens.find((candidate) => candidate.toLowerCase() === match[3]?.toLowerCase());
    if (token === undefined) continue;
    if (seen.has(id)) repeated.push(id);
    else lines.push({ id, token, reason: reasonOf(rest) });
    seen.add(id);
  }
  return { lines, repeated };
}

function reasonOf(rest: string): string {
  return rest
    .replace(/^[\s—–:,.-]+/, '')
    .replace(/(?:\*\*|__)$/, '')
    .trim();
}
