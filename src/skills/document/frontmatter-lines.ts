/**
 * How many leading lines are frontmatter, its two delimiters included. An opened block that is never closed counts
 * as none, so that its headings are still found.
 */
export function frontmatterLines(text: string, lineStarts: readonly number[]): number {
  const first = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  if (!text.startsWith('---', first) || !isDelimiter(text, first)) return 0;
  const limit = Math.min(lineStarts.length, 500);
  for (let line = 1; line < limit; line += 1) {
    const start = lineStarts[line] ?? 0;
    if (text.charCodeAt(start) === 45 && isDelimiter(text, start)) return line + 1;
  }
  return 0;
}

/** Whether a frontmatter block is opened on the first line. */
export function opensFrontmatter(text: string): boolean {
  const first = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  return isDelimiter(text, first);
}

function isDelimiter(text: string, start: number): boolean {
  if (!text.startsWith('---', start)) return false;
  for (let index = start + 3; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 10) return true;
    if (code !== 32 && code !== 9 && code !== 13) return false;
  }
  return true;
}
