import { toLines } from '../base/text/labelled-block.ts';

export type IdLine<Token extends string> = { id: string; token: Token; reason: string };

/** Marks around an id or a token: bold, underline, code. */
const mark = '(?:\\*\\*|__|`)?';

/**
 * Reads lines such as `FINDING_3: YES — reason`. The id is anchored at the start of the line and compared whole, so
 * `FINDING_1` is never found in `FINDING_10` (L-638, F-20). Narration, list markers, bold wrappers and fences around the
 * lines do not matter; a line behind `>` is a quotation. An id may come again: `settle` decides what counts then.
 */
export function readIdLines<Token extends string>(
  text: string,
  prefixes: readonly string[],
  tokens: readonly Token[],
): IdLine<Token>[] {
  const pattern = new RegExp(
    `^(?:[-*+]\\s+|\\d{1,3}[.)]\\s+)?${mark}(${prefixes.join('|')})_(\\d{1,4})${mark}\\s*:${mark}\\s*${mark}` +
      `(${[...tokens].sort((a, b) => b.length - a.length).join('|')})(?![\\w/|])${mark}(.*)$`,
    'i',
  );
  const lines: IdLine<Token>[] = [];
  for (const raw of toLines(text)) {
    const match = pattern.exec(raw.trim());
    const rest = match?.[4] ?? '';
    if (!match || /^\s*(?:[/|]|or\b)/i.test(rest)) continue;
    const id = `${match[1]?.toUpperCase()}_${Number(match[2])}`;
    const token = tokens.find((candidate) => candidate.toLowerCase() === match[3]?.toLowerCase());
    if (token !== undefined) lines.push({ id, token, reason: reasonOf(rest) });
  }
  return lines;
}

export type Settled<Entry> = {
  /** One entry for every id that says one thing. */
  entries: Entry[];
  /** Ids that came again and said the same; the first entry counts (L-518). */
  repeated: string[];
  /** Ids with two different tokens: neither counts, as we cannot tell which one was meant. */
  contradicted: string[];
};

/** What counts of entries that may name an id more than once. */
export function settle<Entry>(
  entries: readonly Entry[],
  idOf: (entry: Entry) => string,
  tokenOf: (entry: Entry) => string,
): Settled<Entry> {
  const first = new Map<string, Entry>();
  const repeated = new Set<string>();
  const contradicted = new Set<string>();
  for (const entry of entries) {
    const id = idOf(entry);
    const known = first.get(id);
    if (known === undefined) first.set(id, entry);
    else (tokenOf(known) === tokenOf(entry) ? repeated : contradicted).add(id);
  }
  return {
    entries: [...first].flatMap(([id, entry]) => (contradicted.has(id) ? [] : [entry])),
    repeated: [...repeated].filter((id) => !contradicted.has(id)),
    contradicted: [...contradicted],
  };
}

function reasonOf(rest: string): string {
  return rest
    .replace(/^[\s—–:,.-]+/, '')
    .replace(/(?:\*\*|__)$/, '')
    .trim();
}
