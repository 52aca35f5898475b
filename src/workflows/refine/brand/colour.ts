/** What a text or part needs against what is behind it. */
const neededRatios = { body: 4.5, large: 3, 'ui-part': 3, focus: 3 } as const;
type ContrastUse = keyof typeof neededRatios;

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

export type Colour = { red: number; green: number; blue: number };

/** A CSS colour as 8-bit channels; `undefined` for anything with transparency or in a form not known here. */
export function parseColour(text: string): Colour | undefined {
  const value = text.trim().toLowerCase();
  const hex = /^#(?:([0-9a-f]{3})|([0-9a-f]{6}))$/.exec(value);
  if (hex !== null) {
    const digits = hex[2] ?? [...(hex[1] ?? '')].map((digit) => digit + digit).join('');
    const channel = (at: number) => Number.parseInt(digits.slice(at, at + 2), 16);
    return { red: channel(0), green: channel(2), blue: channel(4) };
  }
  const rgb = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:\s*[,/]\s*1(?:\.0+)?)?\s*\)$/.exec(value);
  if (rgb !== null) {
    const [red = 0, green = 0, blue = 0] = rgb.slice(1, 4).map(Number);
    return Math.max(red, green, blue) <= 255 ? { red, green, blue } : undefined;
  }
  const hsl = /^hsla?\(\s*(-?[\d.]+)(?:deg)?[\s,]+([\d.]+)%[\s,]+([\d.]+)%\s*\)$/.exec(value);
  return hsl === null ? undefined : fromHsl(Number(hsl[1]), Number(hsl[2]) / 100, Number(hsl[3]) / 100);
}

export function toHex({ red, green, blue }: Colour): string {
  return `#${[red, green, blue].map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** WCAG 2: relative luminance. */
function luminance({ red, green, blue }: Colour): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** WCAG 2: from 1 (the same) to 21 (black on white). */
export function contrastRatio(one: Colour, other: Colour): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

export function toHsl({ red, green, blue }: Colour): [hue: number, saturation: number, lightness: number] {
  const [r, g, b] = [red / 255, green / 255, blue / 255];
  const [high, low] = [Math.max(r, g, b), Math.min(r, g, b)];
  const lightness = (high + low) / 2;
  const spread = high - low;
  if (spread === 0) return [0, 0, lightness];
  const saturation = spread / (1 - Math.abs(2 * lightness - 1));
  const sector =
    high === r ? ((g - b) / spread + 6) % 6 : high === g ? (b - r) / spread + 2 : (r - g) / spread + 4;
  return [sector * 60, saturation, lightness];
}

export function fromHsl(hue: number, saturation: number, lightness: number): Colour {
  const [s, l] = [Math.min(1, Math.max(0, saturation)), Math.min(1, Math.max(0, lightness))];
  const reach = s * Math.min(l, 1 - l);
  const channel = (shift: number) => {
    const k = (((shift + hue / 30) % 12) + 12) % 12;
    return Math.round(255 * (l - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return { red: channel(0), green: channel(8), blue: channel(4) };
}

/** How far apart two colours look, roughly: weighted distance of their channels. */
export function distance(one: Colour, other: Colour): number {
  const mean = (one.red + other.red) / 2;
  const [r, g, b] = [one.red - other.red, one.green - other.green, one.blue - other.blue];
  return Math.sqrt((2 + mean / 256) * r * r + 4 * g * g + (2 + (255 - mean) / 256) * b * b);
}
