/** The lines of a unified diff without its header, which says nothing to a reader. */
export function diffLines(diff: string): string[] {
  const lines = diff.split('\n');
  // Lines of the text may look like a header; by its place it cannot be mistaken.
  const firstPlace = lines.findIndex((line) => line.startsWith('@@'));
  return lines.slice(Math.max(0, firstPlace));
}
