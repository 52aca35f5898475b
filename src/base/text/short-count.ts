/** `950`, `12.3k`, `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  const [value, unit] = count < 999_950 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 100 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${unit}`;
}
