import { focusAreas } from '../../base/schema/judgements/finding.ts';
import { splitLabel, toLines } from '../../base/text/labelled-block.ts';

/** One finding of an answer in text, before anything in it is understood. */
export type FindingItem = { outOfScope: boolean; lines: string[] };

/** L-584: the mark of what is worth tracking but not for this change. */
export const outOfScopeTag = /^(?:\*\*|__)?\[OUT_OF_SCOPE\](?:\*\*|__)?:?\s*/i;

const areas = focusAreas.join('|');
const leadingArea = new RegExp(`^(?:\\*\\*|\`|\\[|\\()+(?:${areas})\\b`, 'i');

/** Cuts an answer into its findings: numbered items, `FINDING_1:` blocks, tagged bullets or headings, in one list or in two. */
export function splitItems(text: string): FindingItem[] {
  const items: FindingItem[] = [];
  let outOfScope = false;
  let fenced = false;
  let body: Body = 'none';
  let before = '';
  for (const line of toLines(text)) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const start = fenced ? undefined : itemStart(line);
    const section = fenced || start ? undefined : sectionScope(line);
    if (section !== undefined) outOfScope = section === 'out';
    if (start) {
      items.push({ outOfScope: outOfScope || start.outOfScope, lines: [start.rest] });
      body = 'none';
    } else if (
      section !== undefined ||
      (!fenced && (/^#{1,6}\s/.test(line) || isAfterword(line, before, body)))
    ) {
      body = 'closed';
    }
    if (!start && body !== 'closed') {
      items.at(-1)?.lines.push(line);
      body = bodyAfter(body, line);
    }
    before = line;
  }
  return items;
}

/** What stands below the first line of an item: nothing yet, only indented lines, lines at the margin; `closed`: nothing more. */
type Body = 'none' | 'indented' | 'margin' | 'closed';

function bodyAfter(body: Body, line: string): Body {
  if (line.trim() === '' || body === 'margin') return body;
  return /^\s{2}/.test(line) ? 'indented' : 'margin';
}

/** Closing words after a list whose items are indented: a new paragraph at the margin that is no label. */
function isAfterword(line: string, before: string, body: Body): boolean {
  const newParagraph = before.trim() === '' && !/^\s*$|^\s{2}|^[-*+]\s/.test(line);
  return newParagraph && body === 'indented' && splitLabel(line) === undefined;
}

function itemStart(line: string): { rest: string; outOfScope: boolean } | undefined {
  const [, title] = /^#{2,5}\s+(\S.*)$/.exec(line) ?? [];
  if (title !== undefined) {
    return (
      numbered(title, true) ?? (leadingArea.test(title) ? { rest: title, outOfScope: false } : undefined)
    );
  }
  const [, bullet] = /^[-*+]\s+(\S.*)$/.exec(line) ?? [];
  if (bullet !== undefined) {
    return outOfScopeTag.test(bullet) || leadingArea.test(bullet)
      ? { rest: bullet, outOfScope: false }
      : undefined;
  }
  return numbered(line, false);
}

/** `1. title`, `**2) title**`, `Finding 3 — title`, `OOS_1: title`. */
function numbered(text: string, heading: boolean): { rest: string; outOfScope: boolean } | undefined {
  const named = /^(?:\*\*)?(FINDING|OOS)[_ ]?#?\d{1,3}\s?[.):—–-](?:\*\*)?\s*(\S.*)$/i.exec(text);
  if (named) return { rest: named[2] ?? '', outOfScope: named[1]?.toUpperCase() === 'OOS' };
  const plain = (
    heading ? /^(?:\*\*)?\d{1,3}[.):](?:\*\*)?\s*(\S.*)$/ : /^(?:\*\*)?\d{1,3}[.):](?:\*\*)?\s+(\S.*)$/
  ).exec(text);
  return plain ? { rest: plain[1] ?? '', outOfScope: false } : undefined;
}

function sectionScope(line: string): 'in' | 'out' | undefined {
  const title = /^(?:#{1,6}\s+|\*\*)(.*?)(?:\*\*)?:?$/s.exec(line.trimEnd())?.[1]?.toLowerCase() ?? '';
  if (/\bout[- ]of[- ]scope\b/.test(title)) return 'out';
  return /\bin[- ]scope\b/.test(title) ? 'in' : undefined;
}
