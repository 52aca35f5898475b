/**
 * The text with every piece from an opening to its next closing replaced; what is never closed stays. Two searches: a pattern would look
 * for the closing anew from each opening.
 */
export function replaceBetween(
  text: string,
  open: string,
  close: string,
  replacement: (piece: string) => string,
): string {
  const parts: string[] = [];
  let from = 0;
  for (let start = text.indexOf(open); start >= 0; start = text.indexOf(open, from)) {
    const end = text.indexOf(close, start + open.length);
    if (end < 0) break;
    parts.push(text.slice(from, start), replacement(text.slice(start, end + close.length)));
    from = end + close.length;
  }
  return parts.join('') + text.slice(from);
}
