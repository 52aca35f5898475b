import { markdownLines } from '../../base/text/markdown-lines.ts';
import { outline } from '../../base/text/sections.ts';

/** A place in a document that a reference can mean. */
export type Entry = {
  source: 'heading' | 'item';
  title: string;
  line: number;
  start: number;
  end: number;
  /** Something follows the title line. */
  hasBody: boolean;
  /** Columns before an item; 0 for headings. */
  indent: number;
  /** Stands among remarks about the steps (risks, tests, dependencies), not among the steps. */
  aside: boolean;
};

const asideTitle =
  /\b(?:risks?|mitigations?|test(?:ing)? strategy|dependenc(?:y|ies)|definition of done|rollback|summary|notes?|questions?|assumptions?|coverage|out of scope)\b/i;

/** lean/C-29: headings, and numbered or bold items, which many plans use instead of headings. */
export function indexEntries(text: string): Entry[] {
  const sections = outline(text);
  const asides = sections.filter(
    ({ level, title }) => level > 1 && asideTitle.test(title.replace(/\([^()]*\)/g, '')),
  );
  const headings = sections.map(
    ({ title, line, start, end, bodyStart }): Entry => ({
      source: 'heading',
      title: stripMarks(title),
      line,
      start,
      end,
      hasBody: text.slice(bodyStart, end).trim() !== '',
      indent: 0,
      aside: false,
    }),
  );
  const items = itemEntries(text).map((item) => ({ ...item, aside: isAside(item.start) }));
  function isAside(start: number): boolean {
    while ((asides[0]?.end ?? Number.POSITIVE_INFINITY) <= start) asides.shift();
    return (asides[0]?.start ?? Number.POSITIVE_INFINITY) < start;
  }
  return [...headings, ...items];
}

/** `1.2 Title`, `1. **Title**`, `- **C9: Title**`, `**Step 3: Title**` at the start of a line. */
const itemPattern =
  /^(\s{0,12})(?:[-*+]\s+(?:\[[ xX]\]\s+)?)?(?:\*\*(?=\S)(.{1,160}?)\*\*|(\d+(?:\.\d+)*)[.)]?\s+(?=\S)(.{0,160}))/;

type OpenItem = { title: string; line: number; start: number; indent: number; first: number };

function itemEntries(text: string): Entry[] {
  const entries: Entry[] = [];
  const open: OpenItem[] = [];
  const close = (item: OpenItem, end: number) => {
    const { title, line, start, first, indent } = item;
    const hasBody = text.slice(first, end).trim() !== '';
    entries.push({ source: 'item', title, line, start, end, hasBody, indent, aside: false });
  };
  const closeFrom = (indent: number, end: number) => {
    while (open.length > 0 && (open.at(-1)?.indent ?? -1) >= indent) {
      const item = open.pop();
      if (item !== undefined) close(item, end);
    }
  };
  let afterBlank = false;
  for (const { kind, start, end, next, number } of markdownLines(text)) {
    if (kind !== 'text') continue;
    const line = text.slice(start, Math.min(end, start + 400));
    if (/^ {0,3}#{1,6}(?:\s|$)/.test(line)) closeFrom(0, start);
    const item = itemOf(line);
    if (item !== undefined) {
      closeFrom(item.indent, start);
      open.push({ ...item, line: number, start, first: next });
    } else if (afterBlank && line.trim() !== '' && !line.startsWith(' ')) {
      // A paragraph at the margin ends every list, bold lead-ins at the margin excepted.
      const last = open.at(-1);
      if (last !== undefined && !text.startsWith('**', last.start)) closeFrom(0, start);
    }
    afterBlank = line.trim() === '';
  }
  closeFrom(0, text.length);
  return entries.sort((left, right) => left.start - right.start);
}

function itemOf(line: string): { title: string; indent: number } | undefined {
  const match = itemPattern.exec(line);
  if (match === null) return undefined;
  const indent = (match[1] ?? '').length;
  if (match[2] !== undefined) return { title: stripMarks(match[2]), indent };
  return { title: stripMarks(`${match[3] ?? ''} ${match[4] ?? ''}`), indent };
}

/** The words of a title without emphasis, code marks and links' brackets. */
export function stripMarks(title: string): string {
  return title.replace(/[*`[\]]/g, '').trim();
}
