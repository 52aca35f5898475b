import { type Colour, contrastRatio, fromHsl, parseColour, toHex, toHsl } from './colour.ts';

/** What a text or part needs against what is behind it. */
export const neededRatios = { body: 4.5, large: 3, 'ui-part': 3, focus: 3 } as const;
export type ContrastUse = keyof typeof neededRatios;

/** Large text: from 18 px, or from 14 px when it is bold. */
export function useOfText(pixels: number, bold: boolean): ContrastUse {
  return pixels >= 18 || (pixels >= 14 && bold) ? 'large' : 'body';
}

export type ContrastFailure = {
  foreground: string;
  background: string;
  use: ContrastUse;
  /** Rounded down to hundredths, so that a failing pair never reads as if it passed. */
  actual: number;
  needed: number;
  /** Foregrounds that pass on this background; colours of the brand first. */
  alternatives: string[];
};

const wantedAlternatives = 3;

/** A pair that is hard to read, with three colours that are not; `undefined` when it passes or a colour is unknown. */
export function checkContrast(
  foreground: string,
  background: string,
  use: ContrastUse,
  palette: readonly string[] = [],
): ContrastFailure | undefined {
  const [front, back] = [parseColour(foreground), parseColour(background)];
  if (front === undefined || back === undefined) return undefined;
  const needed = neededRatios[use];
  const ratio = contrastRatio(front, back);
  if (ratio >= needed) return undefined;
  return {
    foreground,
    background,
    use,
    actual: Math.floor(ratio * 100) / 100,
    needed,
    alternatives: alternatives(front, back, needed, palette),
  };
}

function alternatives(front: Colour, back: Colour, needed: number, palette: readonly string[]): string[] {
  const passes = (colour: Colour) => contrastRatio(colour, back) >= needed;
  const branded = palette.flatMap((text) => parseColour(text) ?? []).filter(passes);
  const found = new Set([...branded, ...shades(front, passes), ...greys().filter(passes)].map(toHex));
  return [...found].slice(0, wantedAlternatives);
}

/** From black and from white inward: against a middle tone little else passes. */
function greys(): Colour[] {
  return Array.from({ length: 256 }, (_, index) => (index % 2 === 0 ? index / 2 : 255 - (index - 1) / 2)).map(
    (level) => ({ red: level, green: level, blue: level }),
  );
}

/** The same hue, darker or lighter, the nearest first. */
function shades(front: Colour, passes: (colour: Colour) => boolean): Colour[] {
  const [hue, saturation, lightness] = toHsl(front);
  const steps = Array.from({ length: 101 }, (_, index) => index / 100).filter((step) =>
    passes(fromHsl(hue, saturation, step)),
  );
  steps.sort((a, b) => Math.abs(a - lightness) - Math.abs(b - lightness));
  // Neighbouring steps look the same; every fifth is a choice.
  const spread = steps.filter((step, index) =>
    steps.slice(0, index).every((other) => Math.abs(step - other) >= 0.045),
  );
  return [...spread.slice(0, wantedAlternatives), ...steps].map((step) => fromHsl(hue, saturation, step));
}
