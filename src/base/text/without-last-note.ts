/** A title without the note in parentheses at its end: `Collect (optional)` is `Collect`. */
export function withoutLastNote(title: string): string {
  const text = title.trimEnd();
  if (!text.endsWith(')')) return text;
  const open = text.indexOf('(', text.lastIndexOf(')', text.length - 2) + 1);
  return open < 0 ? text : text.slice(0, open).trimEnd();
}
