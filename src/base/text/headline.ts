const longest = 200;

/** The first line of a text that says something, without the marks of a heading: what a whole document is listed under. */
export function headline(text: string): string {
  const line = text.split('\n').map(plainLine).find(Boolean) ?? '';
  const points = Array.from(line.slice(0, 2 * longest));
  return points.length <= longest && line.length <= 2 * longest
    ? line
    : `${points.slice(0, longest - 1).join('')}…`;
}

function plainLine(line: string): string {
  return line.trim().replace(/^#{1,6}(?:\s+|$)/, '');
}
