export type TableOptions = {
  /** Which columns are aligned to the right. */
  right?: readonly boolean[];
  gap?: number;
  /** What a line may take; a table that is wider leaves columns out. */
  width?: number;
  /** Columns that can be left out, in the order in which they go. */
  spare?: readonly number[];
  /** The last column can be cut down to this. */
  lastAtLeast?: number;
};

/** Lines of a table whose columns are as wide as their widest cell. */
export function textTable(
  rows: readonly (readonly string[])[],
  { right = [], gap = 2, width = Number.POSITIVE_INFINITY, spare = [], lastAtLeast }: TableOptions = {},
): string[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => (row[index] ?? '').length)));
  let shown = widths.map((_, index) => index);
  const needed = () =>
    shown.reduce((sum, index) => {
      const own = widths[index] ?? 0;
      const cut = index === widths.length - 1 ? (lastAtLeast ?? own) : own;
      return sum + Math.min(own, cut) + gap;
    }, -gap);
  for (const column of spare) if (needed() > width) shown = shown.filter((index) => index !== column);
  return rows.map((row) =>
    shown
      .map((index) => {
        const text = row[index] ?? '';
        const own = widths[index] ?? 0;
        return right[index] === true ? text.padStart(own) : text.padEnd(own);
      })
      .join(' '.repeat(gap))
      .trimEnd(),
  );
}
