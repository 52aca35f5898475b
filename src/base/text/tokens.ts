import { countCodePoints } from './strings.ts';

/** How a number of tokens was found: four characters a token, the same plus a tenth, or the o200k vocabulary. */
export type CountingRule = 'characters/4' | 'characters/4*1.1' | 'o200k';

export type TokenCount = { rule: CountingRule; characters: number; tokens: number };

/** M-031: `ceil(characters / 4)`, the part of the estimate that is rounded. */
export function quarterTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/** the padded estimate in tenths of a token, exact in integers. */
export function estimateTenths(characters: number): number {
  return 11 * quarterTokens(characters);
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
const maxRun = 1_000;

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
    } else if (index - runStart >= maxRun && (code & 0xfc00) !== 0xdc00) {
      total += count(text.slice(pieceStart, index));
      pieceStart = index;
      runStart = index;
    }
  }
  return total + count(text.slice(pieceStart));
}
