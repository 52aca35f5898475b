/** Whether a name stands in one of the texts as a word of its own. The words are read once, when the first name is asked for. */
export function mentionsIn(read: () => readonly string[]): (name: string) => boolean {
  let texts: readonly string[] | undefined;
  let words = new Set<string>();
  const dotted = new Map<string, boolean>();
  return (name) => {
    if (texts === undefined) {
      texts = read();
      words = new Set(texts.flatMap((text) => text.match(/[\w$]+/g) ?? []));
    }
    const parts = name.split('.').filter((part) => part !== '');
    if (!parts.every((part) => words.has(part))) return false;
    if (parts[0] === name) return true;
    const known = dotted.get(name) ?? texts.some((text) => standsIn(text, name));
    dotted.set(name, known);
    return known;
  };
}

function standsIn(text: string, name: string): boolean {
  for (let from = text.indexOf(name); from >= 0; from = text.indexOf(name, from + name.length)) {
    if (!/[\w$]/.test(text[from - 1] ?? '') && !/[\w$]/.test(text[from + name.length] ?? '')) return true;
  }
  return false;
}
