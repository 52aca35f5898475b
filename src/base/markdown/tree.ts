import type { Root } from 'mdast';
import { fromMarkdown, type Options } from 'mdast-util-from-markdown';

/** Signs of emphasis, links and tags in one block beyond which they are only characters: the parser compares every pair of them. */
const maxSigns = 1_000;
const signs = /\*+|_+|~+|[[\]<]/g;
/** Quotes and lists inside each other; the parser calls itself for every one. */
const deepest = 50;
/** Quotes, lists inside lists and underlined headings; each makes the parser move all that came before. */
const maxMoves = 2_000;
/** In a long text, what the parser takes one by one, and lines with something in them: about a second of its time. */
const maxMarks = 50_000;
const maxLines = 7_500;
const inline = [
  'attention',
  'strikethrough',
  'labelStartLink',
  'labelStartImage',
  'labelEnd',
  'gfmFootnoteCall',
  'gfmPotentialFootnoteCall',
  'htmlText',
  'autolink',
];

type Extension = NonNullable<NonNullable<Options['extensions']>[number]>;
const plain: Extension = { disable: { null: inline } };

/** Characters at most, unless more are asked for: whatever they are, the parser is done with them in a second or two. */
export const maxMarkdown = 50_000;

/**
 * The tree of an untrusted Markdown text; undefined for one that is too long, or long and little but marks. Marks that would keep the
 * parser busy are read as plain characters. A tree takes about 60 times as long as the blocks of `parseDocument`: read one only for
 * nested lists and inline text.
 */
export function readMarkdown(
  text: string,
  options: Options = {},
  maxLength: number = maxMarkdown,
): Root | undefined {
  return readMarkdownSource(text, options, maxLength)?.tree;
}

/** The same with the text that the offsets of the tree refer to. */
export function readMarkdownSource(
  text: string,
  options: Options = {},
  maxLength: number = maxMarkdown,
): { tree: Root; source: string } | undefined {
  if (text.length > maxLength || (text.length > maxMarkdown && isMarksAlone(text))) return undefined;
  const source = capDepth(text);
  const tame = hasManySigns(source)
    ? { ...options, extensions: [...(options.extensions ?? []), plain] }
    : options;
  return { tree: fromMarkdown(source, tame), source };
}

/** Counted and not collected: there may be as many as there are characters. */
function isMarksAlone(text: string): boolean {
  let marks = 0;
  let lines = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\n' && text.charAt(at + 1) !== '\n') lines += 1;
    if ('\n*_~`[]<>|#&\\@:'.includes(character)) marks += 1;
    if (marks > maxMarks || lines > maxLines) return true;
  }
  return false;
}

/** Blocks end with a blank line; lists and tables without one count as a whole. */
function hasManySigns(text: string): boolean {
  let count = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') count = 0;
    else count += line.match(signs)?.length ?? 0;
    if (count > maxSigns) return true;
  }
  return false;
}

const marker = /[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y;
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/;

function capDepth(text: string): string {
  let moves = 0;
  let before = '';
  /** The last line with words, unless it continued an item. */
  let block = '';
  const cap = (line: string): string => {
    const ends = markerEnds(line);
    const isUnderline = underline.test(line) && before.trim() !== '';
    const opens =
      ends.length > 1 || (ends.length === 1 && (/^(?: {2}| ?\t)/.test(line) || !goesOn(line, before, block)));
    before = line;
    if (/^\S/.test(line)) block = line;
    if (isUnderline || opens) moves += 1;
    if (moves > maxMoves && isUnderline) return escaped(line, 0);
    if (moves > maxMoves && opens) {
      // A blank line ends what was open: lines that continue it are moved, too.
      block = '';
      before = escaped(line, 0);
      return `\n${before}`;
    }
    return ends.length <= deepest ? line : escaped(line, ends[deepest - 1] ?? 0);
  };
  return text.split('\n').map(cap).join('\n');
}

/** Whether a line with a mark belongs to the quote or the list before it. */
function goesOn(line: string, before: string, block: string): boolean {
  const isQuote = (text: string) => /^ ?>/.test(text);
  return isQuote(line) ? isQuote(before) : !isQuote(block) && markerEnds(block).length > 0;
}

/** What follows is characters, not a mark. */
function escaped(line: string, at: number): string {
  return `${line.slice(0, at)} \\${line.slice(at).trimStart()}`;
}

/** Where each quote or list mark at the beginning of a line ends; at most one more than may be. */
function markerEnds(line: string): number[] {
  const ends: number[] = [];
  marker.lastIndex = 0;
  while (ends.length <= deepest && marker.test(line)) ends.push(marker.lastIndex);
  return ends;
}
