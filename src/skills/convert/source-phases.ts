import { type Document, type Heading, linesText, lineText } from '../../base/markdown/document.ts';
import { withoutLastNote } from '../../base/text/strings.ts';
import { checkPhaseCount } from '../config/complete-config.ts';
import { sourceFlowSections } from '../model/data-flow.ts';
import type { PhaseSource } from './extract-phase.ts';

export type PhaseTitle = { number: string; name: string };

/** One phase and every heading under which a source describes it, in their order; `main` is the longest. */
export type PhaseGroup = PhaseTitle & { headings: Heading[]; main: Heading };

/** An overview says at most this share of what the details say. */
const overviewShare = 1 / 3;
/** More phases than any workflow has, each described twice. */
const mostHeadings = 400;

/**
 * The phases of a source, each once: a source that has an overview and details describes a phase under two headings. They
 * belong together by number and name, or by number when the one section is short against the other.
 */
export function groupPhases(
  { headings }: Document,
  found: readonly Heading[],
  read: (title: string) => PhaseTitle | undefined,
): PhaseGroup[] {
  const level = found.reduce((least, heading) => Math.min(least, heading.level), 6);
  const top = found.filter((heading) => heading.level === level);
  if (top.length > mostHeadings) checkPhaseCount(top.length);
  const groups: PhaseGroup[] = [];
  const parents = parentsOf(headings);
  const lengths = sectionLengths(top, parents);
  let end = 0;
  for (const heading of found) {
    const title = read(heading.title);
    if (title === undefined || heading.line < end) continue;
    const parent = parents.get(heading) ?? -1;
    const known = groups.find(({ number, name, main }) => {
      const other = parents.get(main) ?? -1;
      if (number !== title.number || parent === other) return false;
      return (
        plainName(name) === plainName(title.name) || (heading.level === level && isOverview(parent, other))
      );
    });
    if (known === undefined && heading.level > level) continue;
    end = heading.endLine;
    if (known === undefined) groups.push({ ...title, headings: [heading], main: heading });
    else {
      known.headings.push(heading);
      if (length(heading) > length(known.main)) Object.assign(known, title, { main: heading });
    }
  }
  checkPhaseCount(groups.length);
  return groups;

  function isOverview(one: number, other: number): boolean {
    const [a, b] = [lengths.get(one) ?? 0, lengths.get(other) ?? 0];
    return Math.min(a, b) <= Math.max(a, b) * overviewShare;
  }
}

const length = ({ line, endLine }: Heading) => endLine - line;

const plainName = (name: string) =>
  name
    .replace(/\([^)]*\)/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Line of the heading above each heading that it belongs to. */
function parentsOf(headings: readonly Heading[]): Map<Heading, number> {
  const open: Heading[] = [];
  return new Map(
    headings.map((heading) => {
      while ((open.at(-1)?.level ?? 0) >= heading.level) open.pop();
      const parent = open.at(-1)?.line ?? -1;
      open.push(heading);
      return [heading, parent];
    }),
  );
}

/** Lines that the phases below each parent have together. */
function sectionLengths(found: readonly Heading[], parents: Map<Heading, number>): Map<number, number> {
  const lengths = new Map<number, number>();
  for (const heading of found) {
    const parent = parents.get(heading) ?? -1;
    lengths.set(parent, (lengths.get(parent) ?? 0) + length(heading));
  }
  return lengths;
}

/** "(Optional, when …)" is not part of a name, but says when the phase runs. */
export function splitNote(title: string): { name: string; note: string } {
  const name = withoutLastNote(title).trim();
  return name === ''
    ? { name: title.trim(), note: '' }
    : { name, note: title.slice(title.indexOf(name) + name.length).trim() };
}

/** The sections of a phase: an overview, when there is one, above the details. */
export function sectionsOf(
  document: Document,
  { headings, main }: PhaseGroup,
  path: string,
  note: string,
  calls: boolean,
): PhaseSource[] {
  return headings
    .map((heading): PhaseSource => {
      const isMain = heading === main;
      const body = linesText(document, heading.line + 1, heading.endLine);
      const same = document.headings.filter(({ title }) => title === heading.title);
      const nth = same.indexOf(heading);
      return {
        path,
        body: note === '' || !isMain ? body : `${note}\n\n${body.replace(/^\s*\n/, '')}`,
        label: 'orchestrator',
        section: heading.title,
        ...(nth > 0 ? { nth } : {}),
        heading: isMain ? (calls ? 'Coordination' : 'Details') : 'Overview',
        coordinates: true,
      };
    })
    .filter(({ body }) => body.trim() !== '');
}

/** Lines of the source's own flow, by the number of the phase they are about. */
export function flowLinesOf(document: Document): Map<string, string[]> {
  const lines = new Map<string, string[]>();
  for (const { line: start, endLine } of sourceFlowSections(document)) {
    let current: string[] | undefined;
    for (let line = start + 1; line < endLine; line += 1) {
      const text = lineText(document, line);
      const number = /^[\s│├└─┬┼╰╭↓→▼|>*+-]*(?:#+\s*)?\**Phase\s+(\d+(?:\.\d+)?[a-z]?)\b/i.exec(text)?.[1];
      if (number !== undefined) {
        current = lines.get(number) ?? [];
        lines.set(number, current);
      }
      current?.push(text);
    }
  }
  return lines;
}
