import { type Document, type Heading, linesText } from '../document/document.ts';
import type { SectionName, SectionOverrides } from '../generate/skill-markdown.ts';
import { plainTitle } from '../model/phase-file.ts';

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

/** The sections of a source that are copied, with their bodies as written. */
export function keptSections(document: Document, without: readonly Heading[]): SectionOverrides {
  const kept: SectionOverrides = {};
  for (const heading of document.headings) {
    if (heading.level !== 2) continue;
    const name = sectionOf.find(([pattern]) => pattern.test(plainTitle(heading.title)))?.[1];
    if (name === undefined || without.some(({ line }) => line >= heading.line && line < heading.endLine))
      continue;
    const body = linesText(document, heading.line + 1, heading.endLine).trim();
    if (body !== '') kept[name] = body;
  }
  return kept;
}

/** H2 sections that are neither phases nor known sections; they stay in the coordinator as they are. */
export function otherSections(document: Document, without: readonly Heading[]): string[] {
  return document.headings
    .filter(({ level, title, line, endLine }) => {
      if (level !== 2) return false;
      if (without.some((phase) => phase.line >= line && phase.line < endLine)) return false;
      if (without.some((phase) => line > phase.line && line < phase.endLine)) return false;
      return !sectionOf.some(([pattern]) => pattern.test(plainTitle(title)));
    })
    .map(({ line, endLine }) => linesText(document, line, endLine).trim());
}
