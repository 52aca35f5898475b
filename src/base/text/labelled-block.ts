/** A markdown list whose items may have several lines; `readItems` returns the same items. */
export function renderItems(items: readonly string[]): string {
  return items.map((item) => `- ${indentRest(item)}`).join('\n');
}

/** Reads a bulleted or numbered list; text before the first item is dropped, unindented lines continue the item. */
export function readItems(text: string): string[] {
  const items: string[][] = [];
  for (const line of toLines(text)) {
    const start = /^(?:[-*+]|\d{1,3}[.)]) (.*)$/.exec(line)?.[1];
    if (start !== undefined) items.push([start]);
    else items.at(-1)?.push(line.startsWith('  ') ? line.slice(2) : line);
  }
  return items.map((lines) => lines.join('\n').trim());
}

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
 * order; a title that comes twice keeps both bodies. `preamble` is the text before the first heading.
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

/** Escapes the lines of a text before or between sections. */
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

/**
 * The block format of the panel's artifacts: a `###` heading and labelled fields. Further lines of a value are indented, so a
 * value can hold anything without being taken for a field or a heading. Reading is tolerant: narration before the first
 * block, unindented continuation lines, missing bullets and misplaced colons are all understood.
 */
export type Field = readonly [label: string, value: string];

type FieldStyle = 'bullet' | 'plain';

export type Block = {
  /** The groups of the heading pattern, without the whole match. */
  heading: string[];
  fields: Map<string, string>;
  /** Labels that came more than once; the first value counts. */
  repeated: string[];
};

const indent = '  ';

/** Indents every line but the first, leaving empty lines empty. */
export function indentRest(text: string): string {
  return text.replace(/\n(?=[^\n])/g, `\n${indent}`);
}

export function renderFields(fields: readonly Field[], style: FieldStyle): string {
  const bullet = style === 'bullet' ? '- ' : '';
  return fields.map(([label, value]) => `${bullet}**${label}**:${renderValue(value)}`).join('\n');
}

/** A list begins below its label, everything else on the same line. */
function renderValue(value: string): string {
  if (value === '') return '';
  return /^- .*\n/.test(value) ? indentRest(`\n${value}`) : ` ${indentRest(value)}`;
}

export function renderBlock(heading: string, fields: readonly Field[], style: FieldStyle): string {
  return `### ${heading}\n${renderFields(fields, style)}\n`;
}

/** Joins blocks to a file; no blocks make an empty file. */
export function renderBlocks(blocks: readonly string[]): string {
  return blocks.join('\n');
}

/** Reads all blocks whose heading (after `###`, or a bold line) matches the pattern; ignores text outside blocks. */
export function readBlocks(text: string, heading: RegExp, labels: readonly string[]): Block[] {
  const blocks: { heading: string[]; lines: string[] }[] = [];
  for (const line of toLines(text)) {
    const title = /^#{2,4}\s+(.*)$/s.exec(line)?.[1] ?? (/^(?:\*\*|__)/.test(line) ? line : undefined);
    const match = title === undefined ? null : heading.exec(unwrapBold(title));
    if (match) blocks.push({ heading: match.slice(1).map((group) => group ?? ''), lines: [] });
    else blocks.at(-1)?.lines.push(line);
  }
  return blocks.map((block) => ({ heading: block.heading, ...readFields(block.lines.join('\n'), labels) }));
}

/** Reads labelled fields; lines without a known label continue the field before them. */
export function readFields(
  text: string,
  labels: readonly string[],
): { fields: Map<string, string>; repeated: string[] } {
  const collected: { label: string; lines: string[] }[] = [];
  for (const line of toLines(text)) {
    const start = fieldStart(line, labels);
    if (start) collected.push({ label: start.label, lines: [start.rest] });
    else collected.at(-1)?.lines.push(line);
  }
  const fields = new Map<string, string>();
  const repeated: string[] = [];
  for (const { label, lines } of collected) {
    if (fields.has(label)) repeated.push(label);
    else fields.set(label, joinContinuation(lines));
  }
  return { fields, repeated };
}

export function toLines(text: string): string[] {
  return text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
}

/** Takes one pair of `**…**` or `__…__` off a line that is wrapped in it as a whole (L-502, L-518). */
export function unwrapBold(line: string): string {
  const trimmed = line.trim();
  return /^(\*\*|__)(?!\s)(.+?)\1$/.exec(trimmed)?.[2]?.trim() ?? trimmed;
}

/** No label is longer; looking only this far keeps reading linear, whatever a line holds. */
const maxLabel = 60;

/** The label a line starts with and what follows its colon: `- **Concern**: text`, `**Concern:** text`, `Concern: text`. */
export function splitLabel(line: string): { label: string; rest: string } | undefined {
  const colon = line.slice(0, maxLabel).indexOf(':');
  if (colon < 0) return undefined;
  const head = /^(?:[-*+] )?(\*\*|__)?([A-Za-z][A-Za-z /-]*[A-Za-z]) *(\*\*|__)? *$/.exec(
    line.slice(0, colon),
  );
  if (!head) return undefined;
  const [, open, label = '', close] = head;
  const rest = line.slice(colon + 1);
  const closesLater = open !== undefined && close === undefined && rest.startsWith(open);
  return { label, rest: (closesLater ? rest.slice(2) : rest).trim() };
}

function fieldStart(line: string, labels: readonly string[]) {
  const found = splitLabel(line);
  const label = labels.find((candidate) => candidate.toLowerCase() === found?.label.toLowerCase());
  return label === undefined || found === undefined ? undefined : { label, rest: found.rest };
}

function joinContinuation([first = '', ...rest]: string[]): string {
  return [first, ...rest.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))]
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}
