/** The number that a text is: digits, perhaps with a point. Nothing, blanks, signs, exponents and `0x` are no number. */
export function plainNumber(text: string): number | undefined {
  const number = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}
