import type { Root } from 'mdast';
import { fromMarkdown, type Options } from 'mdast-util-from-markdown';

/** Signs of emphasis, links and tags in one block beyond which they are only characters: the parser looks at every pair of them. */
const mostSigns = 1_000;
const signs = /\*+|_+|~+|[[\]<]/g;
/** Quotes and lists inside each other; the parser calls itself for every one. */
const deepest = 50;
/** Lines that open several at once; each makes the parser move all that came before. */
const mostNested = 1_000;
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

/** Characters at most: lists inside lists cost the parser the square of their number. */
export const longestMarkdown = 50_000;

/**
 * The tree of a Markdown text that somebody else wrote; none for one that is too long. What is there to keep the parser busy
 * is read as plain characters.
 */
export function readMarkdown(
  text: string,
  options: Options = {},
  longest: number = longestMarkdown,
): Root | undefined {
  if (text.length > longest) return undefined;
  const tame = capDepth(text);
  if (!hasManySigns(tame)) return fromMarkdown(tame, options);
  return fromMarkdown(tame, { ...options, extensions: [...(options.extensions ?? []), plain] });
}

/** Blocks end with a blank line; lists and tables without one count as a whole. */
function hasManySigns(text: string): boolean {
  let count = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') count = 0;
    else count += line.match(signs)?.length ?? 0;
    if (count > mostSigns) return true;
  }
  return false;
}

const marker = /[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y;

function capDepth(text: string): string {
  let nested = 0;
  const cap = (line: string): string => {
    const ends = markerEnds(line);
    if (ends.length > 1) nested += 1;
    const allowed = nested > mostNested ? 1 : deepest;
    const at = ends[allowed - 1];
    return ends.length <= allowed || at === undefined
      ? line
      : `${line.slice(0, at)} \\${line.slice(at).trimStart()}`;
  };
  return text.split('\n').map(cap).join('\n');
}

/** Where each quote or list mark at the beginning of a line ends; at most one more than may be. */
function markerEnds(line: string): number[] {
  const ends: number[] = [];
  marker.lastIndex = 0;
  while (ends.length <= deepest && marker.test(line)) ends.push(marker.lastIndex);
  return ends;
}
