import { type Document, lineKind, linesText, lineText } from '../../base/markdown/document.ts';
import type { SectionName, SectionOverrides } from '../generate/skill-markdown.ts';
import { plainTitle } from '../model/phase-file.ts';
import { readRoutingTable } from '../model/phase-table.ts';
import type { Edit } from './fidelity.ts';
import { titleRemoved } from './source-part.ts';

/** S-053: headings of a source that are sections of a skill, with the words that sources use for them. */
const sectionOf: readonly (readonly [RegExp, SectionName])[] = [
  [/^(?:system |workflow )?architecture(?: overview| diagram)?$/i, 'Architecture Overview'],
  [/^(?:key )?design principles$|^coordinator role$/i, 'Key Design Principles'],
  [/^mode detection(?: (?:&|and) routing)?$/i, 'Mode Detection & Routing'],
  [
    /^(?:(?:[a-z]{1,4}-)?(?:phase|step|stage) [\d.]+[a-z]? )?(?:interactive |workflow )*preferences?(?: (?:collection|initiali[sz]ation|setup))?$/i,
    'Interactive Preference Collection',
  ],
  [/^auto mode(?: defaults)?$/i, 'Auto Mode Defaults'],
  [/^execution (?:flow|process)(?: (?:diagram|summary|overview))?$/i, 'Execution Flow'],
  [/^loop control$/i, 'Loop Control'],
  [/^core rules$/i, 'Core Rules'],
  [/^input processing$/i, 'Input Processing'],
  [/^data flow$/i, 'Data Flow'],
  [
    /^todowrite(?: (?:pattern|coordination|(?:progress )?tracking|structure|updates?|management))?$/i,
    'TodoWrite Pattern',
  ],
  [/^post-?phase updates$/i, 'Post-Phase Updates'],
  [/^error handling(?: (?:&|and) recovery)?$/i, 'Error Handling'],
  [/^coordinator checklist$/i, 'Coordinator Checklist'],
  [/^related (?:commands|skills)(?: (?:&|and) (?:commands|skills))?$/i, 'Related Commands'],
];

/** Sections that state the phases and names of the package; what the source says of them is kept below. */
const madeAnew: ReadonlySet<SectionName> = new Set([
  'Architecture Overview',
  'Auto Mode Defaults',
  'Execution Flow',
  'Data Flow',
  'TodoWrite Pattern',
]);

/** The section of a skill that matches a heading of a source. */
export function sectionFor(title: string): SectionName | undefined {
  return sectionOf.find(([pattern]) => pattern.test(plainTitle(title)))?.[1];
}

/** Lines of a source from the first up to, not including, the last. */
export type Lines = { line: number; endLine: number };

/** What a source says outside its phases. */
export type Coordinator = {
  /** Text without a heading, such as the text below the title. */
  introduction: string;
  /** Sections that a skill has too, with their bodies as written. */
  overrides: SectionOverrides;
  /** The same for generated sections: the bodies follow the generated text. */
  additions: SectionOverrides;
  /** All other text, heading for heading. */
  rest: string[];
  /** Titles and headings that have other words now, or none. */
  edits: Edit[];
};

/** S-024, S-053, S-064: every line of a source that belongs to no phase goes to the coordinator, each to one place. */
export function readCoordinator(document: Document, phases: readonly Lines[]): Coordinator {
  const count = document.lineStarts.length;
  const taken = Array.from({ length: count }, (_, line) => document.kinds[line] === lineKind.frontmatter);
  const overrides: SectionOverrides = {};
  const additions: SectionOverrides = {};
  const edits: Edit[] = [];
  const drop = (line: number) => {
    taken[line] = true;
    edits.push(titleRemoved(document, line));
  };
  for (const { line, endLine } of phases) taken.fill(true, line, endLine);
  const title = document.headings.find(({ level }) => level === 1);
  if (title !== undefined && taken[title.line] !== true) drop(title.line);
  dropBareHeadings(document, taken, drop);
  const tags = tagLines(document, taken);
  for (const line of wrappersOf(tags, phases)) drop(line);
  // Modes that lead to no phases are a part of the input; a router would need a table for them.
  const routes = readRoutingTable(document) !== undefined;
  let nextTag = 0;
  for (const { level, title: words, line, endLine: nextHeading } of document.headings) {
    const name = sectionFor(words);
    if (level !== 2 || name === undefined || taken[line] === true) continue;
    while ((tags[nextTag]?.line ?? nextHeading) <= line) nextTag += 1;
    const endLine = Math.min(tags[nextTag]?.line ?? nextHeading, nextHeading);
    // A section around phases keeps what it says itself.
    const body = Array.from({ length: endLine - line - 1 }, (_, index) => line + 1 + index)
      .filter((own) => taken[own] !== true)
      .map((own) => linesText(document, own, own + 1))
      .join('')
      .trim();
    const place = name === 'Mode Detection & Routing' && !routes ? 'Input Processing' : name;
    const target = madeAnew.has(name) || place !== name ? additions : overrides;
    const known = target[place];
    if (body === '' || known !== undefined || lineText(document, line) !== `## ${place}`) drop(line);
    if (body !== '') target[place] = known === undefined ? body : `${known}\n\n${body}`;
    taken.fill(true, line, endLine);
  }
  dropBareHeadings(document, taken, drop);
  const { introduction, rest } = leftText(document, taken, tags);
  // A file has one title: that of a later part becomes a heading below it.
  const lowered = rest.map((piece) => {
    const [before = ''] = piece.split('\n', 1);
    if (!/^#\s/.test(before)) return piece;
    edits.push({ kind: 'title-removed', line: 0, before: `${before}\n`, after: `#${before}\n` });
    return `#${piece}`;
  });
  return { introduction, rest: lowered, overrides, additions, edits };
}

/** A heading over phases alone has nothing to say in the coordinator. */
function dropBareHeadings(document: Document, taken: readonly boolean[], drop: (line: number) => void): void {
  const headings = new Set(document.headings.map(({ line }) => line));
  const written = [0];
  taken.forEach((gone, line) => {
    const counts = !gone && !headings.has(line) && document.kinds[line] !== lineKind.blank;
    written.push((written[line] ?? 0) + (counts ? 1 : 0));
  });
  for (const { line, endLine } of document.headings)
    if (taken[line] !== true && written[line] === written[endLine]) drop(line);
}

/** A line that is only a tag, such as `<auto_mode>`: a text ends there that began before it. */
type TagLine = { line: number; name: string; closes: boolean };

function tagLines(document: Document, taken: readonly boolean[]): TagLine[] {
  return document.kinds.flatMap((kind, line): TagLine[] => {
    if (kind !== lineKind.text || taken[line] === true) return [];
    const [, slash, name] = /^<(\/?)([a-z][\w-]{0,40})>\s*$/i.exec(lineText(document, line)) ?? [];
    return name === undefined ? [] : [{ line, name, closes: slash === '/' }];
  });
}

/** Lines of tags around phases, which enclose nothing any more. */
function wrappersOf(tags: readonly TagLine[], phases: readonly Lines[]): number[] {
  const open = new Map<string, number[]>();
  return tags.flatMap(({ line, name, closes }) => {
    const starts = open.get(name) ?? [];
    open.set(name, starts);
    const start = closes ? starts.pop() : undefined;
    if (!closes) starts.push(line);
    if (start === undefined) return [];
    return phases.some((phase) => phase.line > start && phase.line < line) ? [start, line] : [];
  });
}

function leftText(
  document: Document,
  taken: readonly boolean[],
  tags: readonly TagLine[],
): Pick<Coordinator, 'introduction' | 'rest'> {
  const headings = new Set(document.headings.map(({ line }) => line));
  const first = document.headings.find(({ level }) => level > 1)?.line ?? document.lineStarts.length;
  const opening = new Set(tags.filter(({ line, closes }) => !closes && line > first).map(({ line }) => line));
  const introduction: string[] = [];
  const rest: string[] = [];
  let target = introduction;
  let piece = '';
  const close = () => {
    const text = piece.replace(/^\s*\n/, '').trimEnd();
    if (text !== '') target.push(text);
    piece = '';
  };
  taken.forEach((gone, line) => {
    if (gone || headings.has(line)) close();
    // Text stays below its heading; text of a removed heading goes to the introduction.
    if (headings.has(line)) target = gone ? introduction : rest;
    if (opening.has(line)) {
      close();
      target = rest;
    }
    if (!gone) piece += linesText(document, line, line + 1);
  });
  close();
  return { introduction: introduction.join('\n\n'), rest };
}
