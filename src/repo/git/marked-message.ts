/**
 * A mark is a line that names a piece of a run's work in its commit, so that a run that starts again finds what is done. Marks are
 * the last paragraph of a message; the paragraphs before it are agents' words and mark nothing.
 */
const likeMark = /^(?=[ \t]*Charrette-)/gim;

/** A message that says what was done and ends with marks; a line of its words that looks like one is shown as a quote. */
export function markedMessage(words: readonly string[], marks: readonly string[]): string {
  const said = words.map((text) => text.replace(likeMark, '> '));
  return `${[...said, marks.join('\n')].join('\n\n')}\n`;
}

/** The lines that may be marks: those of the last paragraph, unless it is the only one. */
export function marksIn(message: string): string[] {
  const text = message.trimEnd();
  const gap = text.lastIndexOf('\n\n');
  return gap < 0 ? [] : text.slice(gap + 2).split('\n');
}
