import { type JsonValue, readJson } from '../safe-json.ts';

/** How far a text is searched and how many characters that may touch: a hostile answer costs little. */
const searchLimit = 4 * 1024 * 1024;
const workLimit = 32 * 1024 * 1024;

type Shape = 'object' | 'array';

/**
 * The JSON object or array in an answer: the whole text, else the last fenced block that parses, else the largest
 * value in the prose. Models narrate, fence and set in bold what they were asked to print bare.
 */
export function extractJson(text: string, shape?: Shape): JsonValue | undefined {
  const whole = readContainer(text.trim(), shape);
  if (whole !== undefined) return whole;
  const bounded = text.slice(-searchLimit);
  for (const block of fencedBlocks(bounded).reverse()) {
    const value = readContainer(block, shape) ?? largestValue(block, shape);
    if (value !== undefined) return value;
  }
  return largestValue(bounded, shape);
}

/** A block ends at the next fence that is at least as long; a pass over the lines, since a pattern would look back from each. */
function fencedBlocks(text: string): string[] {
  const blocks: string[] = [];
  const lines = text.split('\n');
  const marks = lines.map(fenceOf);
  /** The shortest fence of each kind that is known to have no end. */
  const endless: Record<string, number> = {};
  for (let at = 0; at < lines.length; at += 1) {
    const open = marks[at];
    if (open === undefined || open.length >= (endless[open.mark] ?? Number.POSITIVE_INFINITY)) continue;
    const end = endOf(marks, at, open);
    if (end < 0) {
      endless[open.mark] = open.length;
      continue;
    }
    blocks.push(
      lines
        .slice(at + 1, end)
        .join('\n')
        .trim(),
    );
    at = end;
  }
  return blocks;
}

type Fence = { mark: string; length: number };

function endOf(marks: readonly (Fence | undefined)[], from: number, open: Fence): number {
  for (let at = from + 1; at < marks.length; at += 1) {
    const fence = marks[at];
    if (fence?.mark === open.mark && fence.length >= open.length) return at;
  }
  return -1;
}

function fenceOf(line: string): Fence | undefined {
  const start = line.search(/[^ \t>]/);
  const mark = line[start];
  if (mark !== '`' && mark !== '~') return undefined;
  let end = start;
  while (line[end] === mark) end += 1;
  return end - start < 3 ? undefined : { mark, length: end - start };
}

/** The value that covers most characters; of equals the last, because conclusions come last. */
function largestValue(text: string, shape: Shape | undefined): JsonValue | undefined {
  let best: { value: JsonValue; length: number } | undefined;
  let work = 0;
  for (let at = 0; at < text.length && work < workLimit; at += 1) {
    const character = text[at];
    if (character !== '{' && character !== '[') continue;
    const end = closingOf(text, at);
    work += (end ?? text.length) - at;
    if (end === undefined) continue;
    const value = readContainer(text.slice(at, end + 1), shape);
    if (value === undefined) continue;
    if (best === undefined || end - at >= best.length) best = { value, length: end - at };
    at = end;
  }
  return best?.value;
}

/** Where the bracket at `from` closes, with strings respected; absent when it never does. */
function closingOf(text: string, from: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return undefined;
}

/** A bare number or word in prose is no answer to a request for JSON; only objects and arrays count. */
function readContainer(text: string, shape: Shape | undefined): JsonValue | undefined {
  const first = text[0];
  if (!((first === '{' && shape !== 'array') || (first === '[' && shape !== 'object'))) return undefined;
  const reading = readJson(text);
  return reading.ok ? reading.value : undefined;
}
