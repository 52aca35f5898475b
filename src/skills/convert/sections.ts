import { type Document, lineKind, linesText, lineText } from '../document/document.ts';
import type { SectionName, SectionOverrides } from '../generate/skill-markdown.ts';
import { plainTitle } from '../model/phase-file.ts';
import type { Edit } from './fidelity.ts';
import { titleRemoved } from './strip.ts';

/** S-053: headings of a source that are sections of a skill. Flow, diagram and data table are made anew. */
const sectionOf: readonly (readonly [RegExp, SectionName])[] = [
  [/^core rules$/i, 'Core Rules'],
  [/^input processing$/i, 'Input Processing'],
  [/^error handling$/i, 'Error Handling'],
  [/^coordinator checklist$/i, 'Coordinator Checklist'],
  [/^related (?:commands|skills)$/i, 'Related Commands'],
  [/^(?:key )?design principles$/i, 'Key Design Principles'],
  [/^post-?phase updates$/i, 'Post-Phase Updates'],
];

/** Lines of a source from the first up to, not including, the last. */
export type Lines = { line: number; endLine: number };

/** What a source says outside its phases. */
export type Coordinator = {
  /** Text without a heading of its own, such as that below the title. */
  introduction: string;
  /** Sections that a skill has too, with their bodies as written. */
  overrides: SectionOverrides;
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
  const edits: Edit[] = [];
  const drop = (line: number) => {
    taken[line] = true;
    edits.push(titleRemoved(document, line));
  };
  for (const { line, endLine } of phases) taken.fill(true, line, endLine);
  const title = document.headings.find(({ level }) => level === 1);
  if (title !== undefined && taken[title.line] !== true) drop(title.line);
  for (const { level, title: words, line, endLine } of document.headings) {
    const name = sectionOf.find(([pattern]) => pattern.test(plainTitle(words)))?.[1];
    if (level !== 2 || name === undefined || taken[line] === true) continue;
    if (phases.some((phase) => phase.line >= line && phase.line < endLine)) continue;
    const body = linesText(document, line + 1, endLine).trim();
    const known = overrides[name];
    if (body === '' || known !== undefined || lineText(document, line) !== `## ${name}`) drop(line);
    if (body !== '') overrides[name] = known === undefined ? body : `${known}\n\n${body}`;
    taken.fill(true, line, endLine);
  }
  dropBareHeadings(document, taken, drop);
  const { introduction, rest } = leftText(document, taken);
  // A file has one title: that of a later part becomes a heading below it.
  const lowered = rest.map((piece) => {
    const [before = ''] = piece.split('\n', 1);
    if (!/^#\s/.test(before)) return piece;
    edits.push({ kind: 'title-removed', line: 0, before: `${before}\n`, after: `#${before}\n` });
    return `#${piece}`;
  });
  return { introduction, rest: lowered, overrides, edits };
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

function leftText(document: Document, taken: readonly boolean[]): Pick<Coordinator, 'introduction' | 'rest'> {
  const headings = new Set(document.headings.map(({ line }) => line));
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
    // Text stands below the heading that it had; below one that is gone it has none.
    if (headings.has(line)) target = gone ? introduction : rest;
    if (!gone) piece += linesText(document, line, line + 1);
  });
  close();
  return { introduction: introduction.join('\n\n'), rest };
}
