/** Lines of a table whose columns are as wide as their widest cell; `right` says which are aligned to the right. */
export function textTable(
  rows: readonly (readonly string[])[],
  { right = [], gap = 2 }: { right?: readonly boolean[]; gap?: number } = {},
): string[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => (row[index] ?? '').length)));
  return rows.map((row) =>
    widths
      .map((width, index) => {
        const text = row[index] ?? '';
        return right[index] === true ? text.padStart(width) : text.padEnd(width);
      })
      .join(' '.repeat(gap))
      .trimEnd(),
  );
}
