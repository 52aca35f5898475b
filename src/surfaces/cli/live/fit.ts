import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter();

/** The text in at most `columns` columns; what does not fit ends in the `cut` sign. */
export function shorten(text: string, columns: number, cut = '…'): string {
  if (stringWidth(text) <= columns) return text;
  const room = columns - stringWidth(cut);
  if (room < 0) return '';
  let kept = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    const width = stringWidth(segment);
    if (used + width > room) break;
    kept += segment;
    used += width;
  }
  return `${kept.trimEnd()}${cut}`;
}

/** Fitted and filled up with blanks to exactly `columns` columns. */
export function cell(text: string, columns: number, side: 'left' | 'right' = 'left', cut = '…'): string {
  const fitted = shorten(text, columns, cut);
  const blanks = ' '.repeat(Math.max(0, columns - stringWidth(fitted)));
  return side === 'left' ? `${fitted}${blanks}` : `${blanks}${fitted}`;
}

/** Lines of whole words, each at most `columns` wide; a word that is wider is broken. */
export function wrap(text: string, columns: number): string[] {
  const width = Math.max(1, columns);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (stringWidth(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const { segment } of segmenter.segment(word)) {
      if (stringWidth(line + segment) > width && line !== '') {
        lines.push(line);
        line = '';
      }
      line += segment;
    }
  }
  return line === '' ? lines : [...lines, line];
}
