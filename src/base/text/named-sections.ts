import { toLines, unwrapBold } from './labelled-block.ts';

/** Known sections of a document by title. Body lines that look like one of the titles are escaped with a backslash. */
export type NamedSection = { title: string; body: string };

export function renderSections(
  sections: readonly NamedSection[],
  titles: readonly string[],
  level = 2,
): string {
  return sections
    .map(({ title, body }) =>
      `${'#'.repeat(level)} ${title}\n\n${escapeSectionLines(body, titles)}`.trimEnd(),
    )
    .map((text) => `${text}\n`)
    .join('\n');
}

/**
 * Reads the sections with the given titles. Headings of any level, numbered, bold or with a colon are understood, in any
 * order; a title that comes twice keeps both bodies. What stands before the first heading is `preamble`.
 */
export function readSections(
  text: string,
  titles: readonly string[],
): { preamble: string; sections: Map<string, string> } {
  const preamble: string[] = [];
  const bodies = new Map<string, string[]>();
  let current = preamble;
  for (const line of toLines(text)) {
    const title = sectionTitle(line, titles);
    if (title === undefined) {
      current.push(unescapeLine(line, titles));
      continue;
    }
    current = bodies.get(title) ?? [];
    bodies.set(title, current);
  }
  const sections = new Map([...bodies].map(([title, lines]) => [title, lines.join('\n').trim()]));
  return { preamble: preamble.join('\n').trim(), sections };
}

function sectionTitle(line: string, titles: readonly string[]): string | undefined {
  if (!/^(?:#{1,6}\s|\*\*|__)/.test(line)) return undefined;
  const bare = unwrapBold(line.replace(/^#{1,6}\s+/, ''))
    .replace(/^\d{1,2}[.)]\s+/, '')
    .replace(/:$/, '')
    .trim()
    .toLowerCase();
  return titles.find((title) => title.toLowerCase() === bare);
}

/** Escapes the lines of a text that stands before or between sections. */
export function escapeSectionLines(body: string, titles: readonly string[]): string {
  return body
    .split('\n')
    .map((line) => (sectionTitle(withoutEscapes(line), titles) === undefined ? line : `\\${line}`))
    .join('\n');
}

function unescapeLine(line: string, titles: readonly string[]): string {
  const escaped = line.startsWith('\\') && sectionTitle(withoutEscapes(line), titles) !== undefined;
  return escaped ? line.slice(1) : line;
}

function withoutEscapes(line: string): string {
  return line.replace(/^\\+/, '');
}
