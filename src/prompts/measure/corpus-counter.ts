import { loadExactCounter } from '../../base/text/tokens.ts';
import type { TokenCount } from '../report.ts';

/** Words repeat: a corpus of millions of words has tens of thousands of different ones. */
const mostRemembered = 200_000;

/**
 * The exact counter for large amounts of text. The vocabulary never joins what the library's own pattern splits, so
 * every piece is counted once and remembered.
 */
export async function loadCorpusCounter(): Promise<TokenCount> {
  const [exact, { O200K_TOKEN_SPLIT_REGEX: pattern }] = await Promise.all([
    loadExactCounter(),
    import('gpt-tokenizer/encodingParams/constants'),
  ]);
  const known = new Map<string, number>();
  const splitter = new RegExp(pattern.source, 'gu');
  return (text) => {
    let total = 0;
    for (const piece of text.match(splitter) ?? []) {
      let tokens = known.get(piece);
      if (tokens === undefined) {
        tokens = exact(piece);
        if (known.size < mostRemembered) known.set(piece, tokens);
      }
      total += tokens;
    }
    return total;
  };
}
