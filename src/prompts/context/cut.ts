import { scanLines } from '../../base/text/markdown-lines.ts';
import { headingLevel } from '../../base/text/sections.ts';

/** Where a document may end early. `limit` and the result are UTF-16 indices; everything before the result is kept. */
export type Cut = { index: number; at: 'section' | 'line' | 'character' };

/**
 * A-14…A-16: the last `##` or `###` heading at or before `limit` that has something to say before it. Headings in fences,
 * comments and front matter are none.
 */
export function sectionCut(text: string, limit: number): Cut | undefined {
  let index: number | undefined;
  let hasContent = false;
  scanLines(text, (kind, start, end) => {
    if (start > limit) return false;
    if (hasContent && kind === 'text') {
      const level = headingLevel(text, start, end);
      if (level === 2 || level === 3) index = start;
    }
    hasContent ||= text.slice(start, end).trim() !== '';
    return true;
  });
  return index === undefined ? undefined : { index, at: 'section' };
}

/** the last line start at or before `limit`, else the limit itself, never between CR and LF. */
export function hardCut(text: string, limit: number): Cut {
  let start = limit > 0 ? text.lastIndexOf('\n', limit - 1) + 1 : 0;
  if (text.slice(0, start).trim() === '') start = 0;
  if (start > 0) return { index: start, at: 'line' };
  const splitsEnding = limit > 0 && text[limit - 1] === '\r' && text[limit] === '\n';
  return { index: splitsEnding ? limit - 1 : limit, at: 'character' };
}
