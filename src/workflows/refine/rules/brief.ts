import { CharretteError } from '../../../base/errors.ts';
import { trimEndChars } from '../../../base/text/strings.ts';
import type { BrandFile } from '../brand/identity.ts';

export const briefSections = ['Goal', 'Audience', 'Brand'] as const;
export type BriefSection = (typeof briefSections)[number];

/**
 * The brief that every seat gets: the text before the first section, then three sections, none empty, then the others
 * under their own headings. An empty Brand is filled from the brand files, cited.
 */
export function completeBrief(text: string, brand: readonly BrandFile[]): string {
  const { preamble, sections } = partsOf(text);
  const missing: BriefSection[] = [];
  const parts = briefSections.map((name) => {
    const own = sections.get(name.toLowerCase())?.body ?? '';
    const body = own !== '' ? own : name === 'Brand' ? quoteBrand(brand) : '';
    if (body === '') missing.push(name);
    return `## ${name}\n\n${body}`;
  });
  if (missing.length > 0) {
    throw new CharretteError({
      code: 'BRIEF_SECTION_INCOMPLETE',
      message: `The brief has nothing under ${missing.map((name) => `## ${name}`).join(', ')}.`,
      fix: 'Write the section, or complete the brand files: an empty Brand is filled from them.',
    });
  }
  const known = new Set(briefSections.map((name) => name.toLowerCase()));
  const rest = [...sections]
    .filter(([name]) => !known.has(name))
    .map(([, { heading, body }]) => `## ${heading}\n\n${body}`);
  return `${[...(preamble === '' ? [] : [preamble]), ...parts, ...rest].join('\n\n')}\n`;
}

/** A brief from a sentence: who it is for and what it looks like come from the brand files. */
export function briefFromGoal(goal: string, brand: readonly BrandFile[]): string {
  const audience = brand.find(({ name }) => name === 'target-audience.md');
  const about =
    audience === undefined ? 'Not stated; assume ordinary users of the web.' : quoteFile(audience);
  const look = brand.length === 0 ? 'There is none; nothing is judged by it.' : '';
  return completeBrief(
    `## Goal\n\n${goal.trim()}\n\n## Audience\n\n${about}\n\n## Brand\n\n${look}\n`,
    brand,
  );
}

function quoteBrand(files: readonly BrandFile[]): string {
  return files
    .filter(({ name }) => name !== 'target-audience.md')
    .map(quoteFile)
    .join('\n\n');
}

function quoteFile({ path, text }: BrandFile): string {
  return `> source: ${path}\n${text.trim().replace(/^(#{1,3}) /gm, '###$1 ')}`;
}

type Section = { heading: string; body: string };

/** The level-two sections by their name in small letters; headings inside code fences do not count. */
function partsOf(text: string): { preamble: string; sections: Map<string, Section> } {
  const preamble: string[] = [];
  const sections = new Map<string, { heading: string; lines: string[] }>();
  let current = preamble;
  let fence: string | undefined;
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]?.[0];
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
    const title = fence === undefined ? /^ {0,3}## +(\S.*)$/s.exec(line)?.[1]?.trimEnd() : undefined;
    const heading = title === undefined ? undefined : trimEndChars(title, '#').trimEnd();
    if (heading === undefined) {
      current.push(line);
      continue;
    }
    const section = sections.get(heading.toLowerCase()) ?? { heading, lines: [] };
    sections.set(heading.toLowerCase(), section);
    current = section.lines;
  }
  const body = (lines: readonly string[]) => lines.join('\n').trim();
  return {
    preamble: body(preamble),
    sections: new Map(
      [...sections].map(([name, { heading, lines }]) => [name, { heading, body: body(lines) }]),
    ),
  };
}
