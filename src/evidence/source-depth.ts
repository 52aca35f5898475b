/** The parser is native code that calls itself for every level, and a stack that runs over ends the process. */
const deepest = 1000;
/** Words and signs after which an expression or statement goes on inside the one before it. */
const goesOn = /=>|[?:<=]|\b(?:else|if|for|while|do|new|await|yield|with|async|extends)\b/g;

/**
 * Whether code is nested so deeply that it must not be parsed. It looks at brackets and at chains without an end, not at
 * grammar: what comes out of a generator or an accident is found, a text made to deceive it may not be.
 */
export function isTooDeep(text: string): boolean {
  if (text.length <= deepest) return false;
  const code = bareCode(text);
  return bracketDepth(code) > deepest || longestChain(code) > deepest;
}

function bracketDepth(code: string): number {
  let [depth, most] = [0, 0];
  for (const bracket of code.matchAll(/[([{}\])]/g)) {
    depth = '([{'.includes(bracket[0]) ? depth + 1 : Math.max(0, depth - 1);
    if (depth > most) most = depth;
  }
  return most;
}

/** Statements end with `;` or `}`; those before `else` and in the head of a loop do not. */
function longestChain(code: string): number {
  let most = 0;
  for (const piece of code.replaceAll(/\([^()]*\)/g, ' ').split(/[;}](?!\s*else\b)|,/)) {
    if (piece.length <= deepest) continue;
    most = Math.max(most, [...piece.matchAll(goesOn)].length);
  }
  return most;
}

/** The text without comments and quoted words, in one pass; a quote that stays open ends with its line. */
function bareCode(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const end = endOfSkipped(text, at);
    if (end === at) continue;
    kept.push(text.slice(from, at));
    from = end;
    at = end - 1;
  }
  return [...kept, text.slice(from)].join('""');
}

/** Where a comment or quoted word that begins here ends; here, if none begins. */
function endOfSkipped(text: string, at: number): number {
  const [sign, next] = [text[at], text[at + 1]];
  if (sign === '/' && next === '/') return found(text.indexOf('\n', at), text);
  if (sign === '/' && next === '*') return found(text.indexOf('*/', at + 2) + 2, text);
  if (sign !== '"' && sign !== "'") return at;
  let end = at + 1;
  while (end < text.length && text[end] !== sign && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
  return Math.min(end + 1, text.length);
}

/** An end that was looked for in vain is that of the text. */
function found(end: number, text: string): number {
  return end < 2 ? text.length : end;
}
