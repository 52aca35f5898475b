import { type Document, lineAt, lineKind, zoneAt } from '../../base/markdown/document.ts';
import { at, type Draft, type FencePolicy } from './rule.ts';

export type Occurrence = { line: number; offset: number; match: RegExpMatchArray };

/** A search by plain words is many times faster than a pattern, so rules ask it first. */
export function containsAny(text: string, words: readonly string[]): boolean {
  return words.some((word) => text.includes(word));
}

/** A file with more than this says nothing new with the next one. */
const mostOccurrences = 1_000;

/** Matches of a pattern in the zones of a rule; teaching examples do not count. */
export function occurrences(
  document: Document,
  pattern: RegExp,
  policy: FencePolicy,
  needle?: string,
): Occurrence[] {
  if (needle !== undefined && !document.text.includes(needle)) return [];
  const found: Occurrence[] = [];
  for (const match of document.text.matchAll(pattern)) {
    const offset = match.index + leadingBlank(match[0]);
    const zone = zoneAt(document, offset);
    if (zone === 'frontmatter' || zone === 'comment') continue;
    if (zone === 'fence' && policy === 'prose') continue;
    if (zone === 'inline-code' && policy !== 'everywhere') continue;
    const line = lineAt(document, offset);
    if (!isTeaching(document, line)) found.push({ line, offset, match });
    if (found.length >= mostOccurrences) break;
  }
  return found;
}

/** A pattern may begin with the blank or line end before the thing itself. */
function leadingBlank(text: string): number {
  const blank = /^\s+/.exec(text)?.[0].length ?? 0;
  return blank < text.length ? blank : 0;
}

const wrong =
  /\b(?:WRONG|BAD|INCORRECT|AVOID|FORBIDDEN|PROHIBITED|ANTI-?PATTERNS?|DON'?T|NEVER)\b|❌|✗|\banti-pattern/;
/** "- Bad: …" and "**Wrong**: …" at the head of a line are marks in any case of letters. */
const wrongLabel =
  /^[\s>*+-]*(?:\d+\.\s+)?[*_"“]*(?:bad|wrong|incorrect|avoid|don['’]t)[*_"”]*\s*(?:\([^)]*\))?[*_]*:/i;
const right = /\b(?:CORRECT|GOOD|RIGHT|INSTEAD)\b|✅|✓/;

/**
 * T-08: an example marked as wrong teaches, it does not violate. The mark is in a comment above the lines inside
 * the fence, on the line right above the fence, or in the heading over it.
 */
export function isTeaching(document: Document, line: number): boolean {
  const kind = document.kinds[line];
  if (kind === lineKind.code && teachingLines(document).has(line)) return true;
  if (wrong.test(head(document, line)) || wrongLabel.test(head(document, line))) return true;
  let above = line - 1;
  if (kind === lineKind.code) {
    const lowest = Math.max(0, line - 40);
    for (; above >= lowest && document.kinds[above] === lineKind.code; above -= 1) {
      const text = head(document, above);
      if (text.trim() === '') return false;
      if (right.test(text)) return false;
      if (wrong.test(text)) return true;
    }
    if (document.kinds[above] === lineKind.fenceMark) above -= 1;
  }
  while (above > 0 && document.kinds[above] === lineKind.blank && line - above < 40) above -= 1;
  const intro = head(document, above);
  return kind === lineKind.code && wrong.test(intro) && !right.test(intro);
}

const teachingCache = new WeakMap<Document, ReadonlySet<number>>();

/** Lines of fences that show a right and a wrong way side by side, and of templates of other Markdown files. */
function teachingLines(document: Document): ReadonlySet<number> {
  const known = teachingCache.get(document);
  if (known !== undefined) return known;
  const found = new Set<number>();
  const teaching = document.fences.filter(({ language, start, end }) => {
    if (language === 'md' || language === 'markdown') return true;
    const code = document.text.slice(start, end);
    return /\b(?:WRONG|BAD|INCORRECT)\b|❌/.test(code) && /\b(?:CORRECT|GOOD|RIGHT)\b|✅/.test(code);
  });
  for (const { openLine, closeLine } of teaching)
    for (let line = openLine + 1; line < closeLine; line += 1) found.add(line);
  teachingCache.set(document, found);
  return found;
}

/** Marks are at the head of a line; very long lines are not read to their end for every occurrence. */
function head(document: Document, line: number): string {
  const start = document.lineStarts[line];
  if (start === undefined) return '';
  const next = document.lineStarts[line + 1] ?? document.text.length;
  return document.text.slice(start, Math.min(next, start + 400));
}

/** S-096: one finding a file, at the first place, with the count and the other lines. */
export function summarised(document: Document, found: readonly Occurrence[], what: string): Draft[] {
  const [first, ...rest] = found;
  if (first === undefined) return [];
  if (rest.length === 0) return [at(document, first.line, `${what}.`)];
  const lines = rest.slice(0, 8).map(({ line }) => line + 1);
  const more = rest.length > 8 ? ', …' : '';
  const message = `${what} (${found.length} times; also on line ${lines.join(', ')}${more}).`;
  return [{ ...at(document, first.line, message), also: rest.map(({ line }) => line) }];
}
