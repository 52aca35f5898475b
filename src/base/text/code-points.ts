/** Number of Unicode code points in a range of a string. A-05: a character is a code point, not a UTF-16 unit. */
export function countCodePoints(text: string, start = 0, end = text.length): number {
  let count = end - start;
  for (let index = start; index < end - 1; index += 1) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xd800) continue;
    if ((text.charCodeAt(index + 1) & 0xfc00) !== 0xdc00) continue;
    count -= 1;
    index += 1;
  }
  return count;
}

/** The UTF-16 index that lies `points` code points after `start`, at most the end of the text. */
export function indexOfCodePoint(text: string, points: number, start = 0): number {
  let index = start;
  for (let left = points; left > 0 && index < text.length; left -= 1) {
    const pair =
      (text.charCodeAt(index) & 0xfc00) === 0xd800 &&
      index + 1 < text.length &&
      (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
    index += pair ? 2 : 1;
  }
  return index;
}
