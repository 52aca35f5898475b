import { toLines } from '../base/text/labelled-block.ts';
import { literalPattern } from '../base/text/strings.ts';

/** L-516: names that would tell a judge who wrote what. */
export const attributionWords = [
  'Cursor',
  'Codex',
  'Claude',
  'Anthropic',
  'Sonnet',
  'Opus',
  'Haiku',
  'OpenAI',
  'ChatGPT',
  'GPT',
  'Gemini',
  'OpenCode',
  'Qwen',
  'Grok',
  'Copilot',
  'DeepSeek',
  'Goose',
  'Kimi',
  'Llama',
  'Mistral',
];

/** Names that are ordinary words in lower case; the loose rule keeps those. */
const ordinaryWords = new Set(['cursor', 'sonnet', 'opus', 'haiku', 'gemini', 'copilot', 'goose', 'llama']);

const placeholder = '[agent]';

export type StrippingRules = {
  words?: readonly string[];
  /** Text that all authors had, such as the feature; a word in it identifies no author and stays. */
  neutral?: string;
  /** Leave ordinary words in small letters. */
  loose?: boolean;
};

/** A span between backticks, or what a path could be made of. */
const piece = /`[^`\n]+`|[\w.@/-]+/g;

/**
 * Takes agents' names out, as whole words in any case; code between backticks and paths stay as they are. In fenced code a bare name goes
 * too, on purpose: a fence holds whole lines, and "Signed: Claude" between two of them would be a signature. A judge who reads
 * `new [agent]()` still knows what the code does.
 */
export function stripAttribution(
  text: string,
  { words = attributionWords, neutral = '', loose = false }: StrippingRules = {},
): string {
  const names = words
    .filter((word) => word.trim() !== '' && !wholeWord(word).test(neutral))
    .sort((a, b) => b.length - a.length)
    .map((word) => wholeWord(word, loose && ordinaryWords.has(word.toLowerCase()) ? 'g' : 'gi'));
  const strip = (part: string) => names.reduce((result, name) => result.replace(name, placeholder), part);
  const parts: string[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(piece)) {
    if (!isCited(found, strip)) continue;
    parts.push(strip(text.slice(end, index)), found);
    end = index + found.length;
  }
  return [...parts, strip(text.slice(end))].join('');
}

/** Code and paths are cited, not signed. `Claude/Codex` is two names, not a path. */
function isCited(text: string, strip: (part: string) => string): boolean {
  if (text.startsWith('`')) return true;
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  if (!name.includes('/')) return /\.[a-z][a-z0-9]{0,4}$/.test(name);
  return name.split('/').some((part) => part !== '' && strip(part) !== placeholder);
}

/** The word with or without a version that is written on to it: `Qwen3`, `GPT4o`. */
function wholeWord(word: string, flags = 'gi'): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])${literalPattern(word)}(?:\\d+[a-z]?)?(?![A-Za-z0-9])`, flags);
}

export type IdLine<Token extends string> = { id: string; token: Token; reason: string };

/** Marks around an id or a token: bold, underline, code. */
const mark = '(?:\\*\\*|__|`)?';

/**
 * Reads lines such as `FINDING_3: YES — reason`. The id is anchored at the start of the line and compared whole, so
 * `FINDING_1` is never found in `FINDING_10` (L-638, F-20). Narration, list markers, bold wrappers and fences around the
 * lines do not matter; a line behind `>` is a quotation. An id may come again: `settle` decides what counts then.
 */
export function readIdLines<Token extends string>(
  text: string,
  prefixes: readonly string[],
  tokens: readonly Token[],
): IdLine<Token>[] {
  const pattern = new RegExp(
    `^(?:[-*+]\\s+|\\d{1,3}[.)]\\s+)?${mark}(${prefixes.join('|')})_(\\d{1,4})${mark}\\s*:${mark}\\s*${mark}` +
      `(${[...tokens].sort((a, b) => b.length - a.length).join('|')})(?![\\w/|])${mark}(.*)$`,
    'i',
  );
  const lines: IdLine<Token>[] = [];
  for (const raw of toLines(text)) {
    const match = pattern.exec(raw.trim());
    const rest = match?.[4] ?? '';
    if (!match || /^\s*(?:[/|]|or\b)/i.test(rest)) continue;
    const id = `${match[1]?.toUpperCase()}_${Number(match[2])}`;
    const token = tokens.find((candidate) => candidate.toLowerCase() === match[3]?.toLowerCase());
    if (token !== undefined) lines.push({ id, token, reason: reasonOf(rest) });
  }
  return lines;
}

export type Settled<Entry> = {
  /** One entry for every id that says one thing. */
  entries: Entry[];
  /** Ids that came again and said the same; the first entry counts (L-518). */
  repeated: string[];
  /** Ids with two different tokens: neither counts, as we cannot tell which one was meant. */
  contradicted: string[];
};

/** What counts of entries that may name an id more than once. */
export function settle<Entry>(
  entries: readonly Entry[],
  idOf: (entry: Entry) => string,
  tokenOf: (entry: Entry) => string,
): Settled<Entry> {
  const first = new Map<string, Entry>();
  const repeated = new Set<string>();
  const contradicted = new Set<string>();
  for (const entry of entries) {
    const id = idOf(entry);
    const known = first.get(id);
    if (known === undefined) first.set(id, entry);
    else (tokenOf(known) === tokenOf(entry) ? repeated : contradicted).add(id);
  }
  return {
    entries: [...first].flatMap(([id, entry]) => (contradicted.has(id) ? [] : [entry])),
    repeated: [...repeated].filter((id) => !contradicted.has(id)),
    contradicted: [...contradicted],
  };
}

function reasonOf(rest: string): string {
  return rest
    .replace(/^[\s—–:,.-]+/, '')
    .replace(/(?:\*\*|__)$/, '')
    .trim();
}
