/** The text without these characters at its end. A loop: a pattern would look at every run of them again from each place. */
export function withoutLast(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
