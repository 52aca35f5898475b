import { type Document, type Heading, linesText, lineText } from '../../base/markdown/document.ts';
import { withoutLastNote } from '../../base/text/strings.ts';
import { checkPhaseCount, oneLine } from '../config/complete-config.ts';
import { conditionVariables, ordinalLevels, parseCondition } from '../model/condition.ts';
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

/** When a phase runs: an expression over outputs of earlier phases, or the words of the source where it is none. */
export type RunCondition = { condition?: string; runsWhen?: string };

const operand = String.raw`[A-Za-z_]\w*(?:\.\w+)*`;
const comparison = new RegExp(
  `(?:^|[─[(]|\\bif|\\bwhen)\\s*(${operand}\\s*(?:>=|<=|≥|≤|===?|!==?|<|>)\\s*["'\`]?\\w+["'\`]?)\\s*(?:→|->|[\\]):]|$)`,
  'i',
);
const conditional = /\b(?:if|when|unless|(?<!-)only|optional|conditional|triggered)\b|[<>≤≥]/i;
const vague = /^\(?(?:optional|conditional)\b/i;
const label =
  /^\s*(?:[-*]\s+)?\**(?:trigger|condition|execute (?:only )?(?:if|when)|runs? (?:only )?(?:if|when))\**\s*[:：]\**\s*(\S.*)$/im;
const longest = 160;

/**
 * S-014, S-064: the condition of a phase from the flow of its source, the note in its heading, or its own first lines. A
 * comparison in the flow counts only when the phase can be skipped: others choose what happens inside the phase.
 */
export function runConditionOf(
  flow: readonly string[],
  note: string,
  body: string,
  known: ReadonlySet<string>,
): RunCondition {
  const noted = conditional.test(note);
  const canSkip = noted || flow.some((line) => /\b(?:skip|else)\b/i.test(line));
  const spoken = canSkip
    ? flow.find((line) => comparison.test(line) && !/\bskip\b/i.test(line.split(arrow)[0] ?? ''))
    : undefined;
  for (const line of [...(spoken === undefined ? [] : [spoken]), note]) {
    const condition = expressionIn(line, known);
    if (condition !== undefined) return { condition };
  }
  const compared = comparison.exec(spoken ?? '')?.[1];
  const labelled = label.exec(body.slice(0, 600))?.[1];
  const words =
    noted && !vague.test(note)
      ? note
      : (compared ?? (noted ? branchesOf(flow) : undefined) ?? labelled ?? (noted ? note : undefined));
  if (words === undefined) return {};
  const [first = ''] = oneLine(words.replace(/^\((.*)\)$/s, '$1').replaceAll('**', '')).split(
    /\s*(?:→|->|;|\bskip to\b)/i,
  );
  const when = first
    .replace(/^(?:only )?(?:executed? |runs? )?(?:only )?(?:if|when) /i, '')
    .replace(/^skip(?:ped)? (?:if|when|with) /i, 'unless ')
    .replace(/^only /i, '')
    .slice(0, longest)
    .trim();
  return when === '' ? {} : { runsWhen: when };
}

const arrow = /→|->/;
const decision = /\bdecision\s*(?:\(([^)]*)\))?\s*[:：]\s*$/i;
const branch = /^[\s│├└─|+*-]+(\S.*?)\s*(?:→|->)\s*(\S.*)$/;

/** "Decision (source): code → Execute …, visual → Skip to Phase 7" runs the phase when "source: code". */
function branchesOf(flow: readonly string[]): string | undefined {
  const start = flow.findIndex((line) => decision.test(line));
  if (start < 0) return undefined;
  const rest = flow.slice(start + 1);
  const end = rest.findIndex((line) => !branch.test(line));
  const branches = rest.slice(0, end < 0 ? undefined : end).map((line) => branch.exec(line) ?? []);
  const skips = ([, , action = '']: readonly string[]) => /^skip\b/i.test(action);
  if (!branches.some(skips)) return undefined;
  const runs = branches.filter((found) => !skips(found)).map(([, when = '']) => when);
  if (runs.length === 0) return undefined;
  const subject = decision.exec(flow[start] ?? '')?.[1]?.trim();
  return `${subject === undefined || subject === '' ? '' : `${subject}: `}${runs.join(' or ').replace(/ ?\|+ ?/g, ' or ')}`;
}

function expressionIn(line: string, known: ReadonlySet<string>): string | undefined {
  const levels = new RegExp(`["'\`](${ordinalLevels.join('|')})["'\`]`, 'g');
  const expression = comparison.exec(line)?.[1]?.replace(levels, '$1');
  const reading = expression === undefined ? undefined : parseCondition(expression);
  if (reading?.ok !== true) return undefined;
  const variables = conditionVariables(reading.condition);
  return variables.length > 0 && variables.every((name) => known.has(name)) ? expression : undefined;
}
