/**
 * The block format of the panel's artifacts: a `###` heading and labelled fields. Further lines of a value are indented, so a
 * value can hold anything without being taken for a field or a heading. Reading is tolerant: narration before the first
 * block, unindented continuation lines, missing bullets and misplaced colons are all understood.
 */
export type Field = readonly [label: string, value: string];

export type FieldStyle = 'bullet' | 'plain';

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

/** A list stands below its label, everything else begins beside it. */
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

/** Reads all blocks whose heading (after `###`, or a bold line) matches the pattern; text outside blocks is left alone. */
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

/** Reads labelled fields; lines that are no known label continue the field before them. */
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
const longestLabel = 60;

/** The label a line starts with and what follows its colon: `- **Concern**: text`, `**Concern:** text`, `Concern: text`. */
export function splitLabel(line: string): { label: string; rest: string } | undefined {
  const colon = line.slice(0, longestLabel).indexOf(':');
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
