import type { Document, Heading } from '../../base/markdown/document.ts';
import { checkPhaseCount } from '../config/complete-config.ts';

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
