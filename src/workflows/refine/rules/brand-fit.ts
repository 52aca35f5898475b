import { distance, parseColour } from '../brand/colour.ts';
import type { Identity } from '../brand/identity.ts';
import type { PageFacts } from './measurement.ts';

/** Colours nearer than this look the same. */
const sameColour = 12;

/** Where a page is not the brand, as far as that can be measured: its typefaces, and whether its colours occur at all. */
export function brandProblems(
  identity: Identity,
  { fonts, colours }: Pick<PageFacts, 'fonts' | 'colours'>,
): string[] {
  const problems: string[] = [];
  for (const { name, value } of identity.fonts) {
    const used = /head|display|title/.test(name) ? fonts.headings : fonts.body;
    const wrong = used.filter((family) => family.toLowerCase() !== value.toLowerCase());
    if (used.length > 0 && wrong.length === used.length)
      problems.push(
        `${name || 'text'} is set in ${wrong.slice(0, 3).join(', ')}, the brand's typeface is ${value}`,
      );
  }
  const seen = colours.flatMap((text) => parseColour(text) ?? []);
  const lead = identity.colours.find(({ name }) => /^primary/.test(name)) ?? identity.colours[0];
  const wanted = lead === undefined ? undefined : parseColour(lead.value);
  if (
    lead !== undefined &&
    wanted !== undefined &&
    !seen.some((colour) => distance(colour, wanted) <= sameColour)
  )
    problems.push(`the brand's ${lead.name} ${lead.value} occurs nowhere`);
  return problems;
}
