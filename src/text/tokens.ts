import { countCodePoints } from './code-points.ts';

/** How a number of tokens was found; every result names its rule. */
export const countingRules = {
  'characters/4': 'one token per four characters, rounded up',
  'characters/4*1.1': 'one token per four characters, rounded up, plus a tenth',
  o200k: 'counted with the o200k vocabulary',
} as const;

export type CountingRule = keyof typeof countingRules;

export type TokenCount = { rule: CountingRule; characters: number; tokens: number };

/** M-031: `ceil(characters / 4)`, the part of the estimate that is rounded. */
export function quarterTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/** the padded estimate in tenths of a token, exact in integers. */
export function estimateTenths(characters: number): number {
  return 11 * quarterTokens(characters);
}

/** whether texts with this sum of {@link quarterTokens} exceed a budget; an exact fit does not. */
export function exceedsBudget(sumOfQuarters: number, budget: number): boolean {
  return 11 * sumOfQuarters > 10 * budget;
}

/** The plain estimate: four characters are a token. */
export function estimateTokens(text: string): TokenCount {
  const characters = countCodePoints(text);
  return { rule: 'characters/4', characters, tokens: quarterTokens(characters) };
}

/** The estimate with its tenth of reserve, as a number of tokens with one decimal. */
export function estimatePadded(text: string): TokenCount {
  const characters = countCodePoints(text);
  return { rule: 'characters/4*1.1', characters, tokens: estimateTenths(characters) / 10 };
}

/** Exact count with the o200k vocabulary. The tokenizer is loaded on first use. */
export async function countTokens(text: string): Promise<TokenCount> {
  const count = await loadExactCounter();
  return { rule: 'o200k', characters: countCodePoints(text), tokens: count(text) };
}

/** A counter for many texts: the tokenizer is loaded once, then counting is synchronous. */
export async function loadExactCounter(): Promise<(text: string) => number> {
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base');
  // Text is data: `<|endoftext|>` in a document is counted as the characters it is made of.
  const plain = { disallowedSpecial: new Set<string>() };
  return (text) => sumOverPieces(text, (piece) => count(piece, plain));
}

/**
 * Merging is quadratic in a run without breaks, so longer runs are counted in parts of this many characters. Ordinary
 * text has no such run; in one that does the sum may be off by a token per part.
 */
const longestRun = 1_000;

function sumOverPieces(text: string, count: (piece: string) => number): number {
  let total = 0;
  let pieceStart = 0;
  let runStart = 0;
  let inSpace = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const isSpace = code === 32 || (code >= 9 && code <= 13);
    if (isSpace !== inSpace) {
      inSpace = isSpace;
      runStart = index;
    } else if (index - runStart >= longestRun && (code & 0xfc00) !== 0xdc00) {
      total += count(text.slice(pieceStart, index));
      pieceStart = index;
      runStart = index;
    }
  }
  return total + count(text.slice(pieceStart));
}
