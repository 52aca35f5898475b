/** The text without this character at its end. A loop: a pattern would look at every run of it again from each place. */
export function withoutLast(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
