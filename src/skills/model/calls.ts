/** A call such as `Task({ … })` in a text, with the offsets of its name and of the text between its parentheses. */
export type Call = { name: string; start: number; bodyStart: number; bodyEnd: number; body: string };

/** A call is read up to this many characters; an unbalanced one ends there. */
const longestCall = 20_000;
/** Further calls in one text are skipped, so that a hostile file stays cheap. */
const mostCalls = 500;

/** Every call of one of the names. Parentheses in strings and template literals do not count. */
export function findCalls(text: string, names: readonly string[]): Call[] {
  const calls: Call[] = [];
  for (const name of names) {
    const needle = `${name}(`;
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
      if (calls.length >= mostCalls) return calls;
      if (isWordCode(text.charCodeAt(at - 1)) || text.charCodeAt(at - 1) === 46) continue;
      const bodyStart = at + needle.length;
      const bodyEnd = closingBracket(text, bodyStart, '(', ')') ?? endOfLine(text, bodyStart);
      calls.push({ name, start: at, bodyStart, bodyEnd, body: text.slice(bodyStart, bodyEnd) });
    }
  }
  return calls.sort((a, b) => a.start - b.start);
}

/** Offset of the bracket that closes one opened before `start`; nothing when it is not closed in reach. */
export function closingBracket(text: string, start: number, open: string, close: string): number | undefined {
  const limit = Math.min(text.length, start + longestCall);
  let depth = 1;
  let index = start;
  let templates = true;
  while (index < limit) {
    const character = text[index];
    if (character === open) depth += 1;
    else if (character === close) {
      depth -= 1;
      if (depth === 0) return index;
    } else if (character === '"' || character === "'" || (character === '`' && templates)) {
      const end = closingQuote(text, index, limit);
      if (end !== undefined) index = end;
      else if (character === '`') templates = false;
    }
    index += 1;
  }
  return undefined;
}

/** Quotes other than template literals end on their own line; an apostrophe in prose does not open a string. */
function closingQuote(text: string, start: number, limit: number): number | undefined {
  const quote = text[start];
  if (quote === "'" && isWordCode(text.charCodeAt(start - 1))) return undefined;
  for (let index = start + 1; index < limit; index += 1) {
    const character = text[index];
    if (character === '\\') index += 1;
    else if (character === quote) return index;
    else if (character === '\n' && quote !== '`') return undefined;
  }
  return undefined;
}

function endOfLine(text: string, start: number): number {
  const feed = text.indexOf('\n', start);
  return feed < 0 ? text.length : feed;
}

function isWordCode(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code === 36
  );
}
