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
