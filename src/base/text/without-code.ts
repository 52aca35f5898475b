import { toLines } from './labelled-block.ts';

/**
 * A text without its fenced blocks and code spans. Only what is properly closed is taken out: when in doubt the text stays.
 * Linear in the length of the text, whatever it holds.
 */
export function withoutCode(text: string): string {
  return withoutFences(toLines(text)).map(withoutSpans).join('\n');
}

type Mark = '`' | '~';

function withoutFences(lines: readonly string[]): string[] {
  const kept: string[] = [];
  /** Shortest opener of each mark that was seen to have no closer; longer ones cannot have one either. */
  const unclosable: Record<Mark, number> = { '`': Number.POSITIVE_INFINITY, '~': Number.POSITIVE_INFINITY };
  for (let index = 0; index < lines.length; index += 1) {
    const opener = fenceOf(lines[index] ?? '');
    const closer =
      opener && opener.length < unclosable[opener.mark]
        ? indexFrom(lines, index + 1, (line) => closes(line, opener))
        : -1;
    if (opener && closer > index) {
      index = closer;
      continue;
    }
    if (opener) unclosable[opener.mark] = Math.min(unclosable[opener.mark], opener.length);
    kept.push(lines[index] ?? '');
  }
  return kept;
}

function fenceOf(line: string): { mark: Mark; length: number } | undefined {
  const [, marks = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  const mark = marks[0] as Mark | undefined;
  return mark === undefined || (mark === '`' && info.includes('`'))
    ? undefined
    : { mark, length: marks.length };
}

function closes(line: string, { mark, length }: { mark: Mark; length: number }): boolean {
  const marks = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return marks !== undefined && marks[0] === mark && marks.length >= length;
}

/** Code spans of one line: a run of backticks up to the next run of the same length. */
function withoutSpans(line: string): string {
  const runs = [...line.matchAll(/`+/g)].map((match) => ({
    start: match.index,
    length: match[0].length,
  }));
  const last = new Map(runs.map((run, at) => [run.length, at]));
  let result = '';
  let from = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const open = runs[at];
    if (!open || (last.get(open.length) ?? 0) <= at) continue;
    const end = indexFrom(runs, at + 1, (run) => run.length === open.length);
    const close = runs[end];
    if (!close) continue;
    result += `${line.slice(from, open.start)} `;
    from = close.start + close.length;
    at = end;
  }
  return result + line.slice(from);
}

function indexFrom<Item>(list: readonly Item[], start: number, wanted: (item: Item) => boolean): number {
  for (let index = start; index < list.length; index += 1) {
    const item = list[index];
    if (item !== undefined && wanted(item)) return index;
  }
  return -1;
}
