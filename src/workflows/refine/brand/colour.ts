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
export function luminance({ red, green, blue }: Colour): number {
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
