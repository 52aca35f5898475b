/** Values that come more than once, each named once. */
export function repeated(values: readonly string[]): string[] {
  const once = new Set<string>();
  const again = new Set<string>();
  for (const value of values) (once.has(value) ? again : once).add(value);
  return [...again];
}
