export type DocumentReading = { ok: true; text: string } | { ok: false; problem: string };

const open = '<document>';
const close = '</document>';
const fewestCharacters = 40;

/** The document in an author's answer: what stands between the two lines, else a single fenced block. Never the talk around it. */
export function readDocument(answer: string): DocumentReading {
  const lines = answer.replace(/\r\n/g, '\n').split('\n');
  const from = lines.findIndex((line) => line.trim() === open);
  const to = lines.findLastIndex((line) => line.trim() === close);
  if (from >= 0 && to > from) return checked(unfenced(lines.slice(from + 1, to)));
  if (from >= 0)
    return { ok: false, problem: `the document was not closed with ${close}; it may have been cut` };
  return { ok: false, problem: `the answer has no line ${open}` };
}

/** Some authors put the document into a fence between the lines. */
function unfenced(lines: readonly string[]): string {
  const text = lines.join('\n').trim();
  const match = /^(`{3,}|~{3,})(?:markdown|md)?\n([\s\S]*)\n\1$/i.exec(text);
  return match?.[2] ?? text;
}

function checked(text: string): DocumentReading {
  if (text.length < fewestCharacters) return { ok: false, problem: 'the document is empty' };
  return { ok: true, text: `${text}\n` };
}
