import { type Colour, parseColour, toHsl } from '../brand/colour.ts';
import type { PageFacts } from './measurement.ts';

type SlopFacts = Pick<PageFacts, 'gradients' | 'whiteCards' | 'stockIcons' | 'text'>;

/** Looks that generated pages share, each told from facts. */
export const slopTable: readonly { id: string; seen: (facts: SlopFacts) => boolean }[] = [
  {
    // #8B5CF6 to #6D28D9 and what lies between them.
    id: 'purple-gradient',
    seen: ({ gradients }) =>
      gradients.some(({ colours, share }) => share >= 0.2 && colours.filter(isViolet).length >= 2),
  },
  { id: 'generic-white-cards', seen: ({ whiteCards }) => whiteCards >= 3 },
  {
    id: 'emoji-icons',
    seen: ({ text }) =>
      (text.match(/[\u{1f680}\u{2728}\u{1f4a1}\u{26a1}\u{1f3af}\u{1f525}]/gu) ?? []).length >= 3,
  },
  {
    id: 'stock-phrases',
    seen: ({ text }) =>
      (
        text.match(
          /\b(?:supercharge|unleash|seamless(?:ly)?|game[- ]chang|next[- ]level|revolutioni[sz]e|cutting[- ]edge|lorem ipsum)/gi,
        ) ?? []
      ).length >= 2,
  },
];

export function slopPatterns(facts: SlopFacts): string[] {
  return slopTable.filter(({ seen }) => seen(facts)).map(({ id }) => id);
}

function isViolet(text: string): boolean {
  const colour: Colour | undefined = parseColour(text);
  if (colour === undefined) return false;
  const [hue, saturation, lightness] = toHsl(colour);
  return hue >= 255 && hue <= 267 && saturation >= 0.6 && lightness >= 0.45 && lightness <= 0.7;
}
