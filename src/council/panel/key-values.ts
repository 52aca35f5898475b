/** L-115, F-33: `KEY=value` lines, split at the first `=`. Blank lines, comments and lines without `=` are skipped; nothing is ever evaluated. */
export function parseKeyValues(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const split = line.indexOf('=');
    if (line.trim() === '' || line.trimStart().startsWith('#') || split <= 0) continue;
    values.set(line.slice(0, split).trim(), line.slice(split + 1));
  }
  return values;
}

/** One line per pair; a value with a line break or control character is refused, so that no value becomes a second line (F-10). */
export function renderKeyValues(pairs: readonly (readonly [key: string, value: string])[]): string {
  return pairs
    .map(([key, value]) => {
      if (!/^[A-Z][A-Z0-9_]*$/.test(key)) throw new RangeError(`${JSON.stringify(key)} is no key`);
      if (/[\u0000-\u001f\u007f]/.test(value))
        throw new RangeError(`the value of ${key} holds control characters`);
      return `${key}=${value}\n`;
    })
    .join('');
}
