import { outline, sectionText } from '../../base/markdown/sections.ts';
import { countLines } from '../../base/text/diff.ts';
import { type ArtifactKey, artifactKeys } from '../artifacts.ts';
import { compose, renderPart, separator } from '../compose.ts';
import type { TokenCount } from '../markers.ts';
import type { PromptDraft } from '../part.ts';
import { inlineArtifactPart } from '../required-artifacts.ts';
import type { NonceSource } from '../untrusted.ts';
import type { CorpusFeature } from './corpus.ts';

export type Weight = { characters: number; tokens: number };

/** What one artifact weighs inside a prompt, and as a file that an agent reads. */
export type ArtifactWeight = { inline: Weight; readTokens: number };

export type FeatureWeights = Readonly<Partial<Record<ArtifactKey | 'prd-sections', ArtifactWeight>>>;

/** An agent that reads a file sees a number before each line: seven characters, at four characters a token. */
const lineNumberTokens = 7 / 4;

export const noWeight: Weight = { characters: 0, tokens: 0 };

export function add(...weights: readonly Weight[]): Weight {
  return weights.reduce(
    (sum, { characters, tokens }) => ({
      characters: sum.characters + characters,
      tokens: sum.tokens + tokens,
    }),
    noWeight,
  );
}

/** Remembers counts: the same rubric is in every feature. */
export function rememberingCounter(count: TokenCount): TokenCount {
  const known = new Map<string, number>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const tokens = count(text);
    if (text.length < 10_000) known.set(text, tokens);
    return tokens;
  };
}

/**
 * Parts can be counted one by one when each is taken with the blank line after it: no token of the vocabulary reaches
 * from a line break into the `#`, `<` or letter that begins the next part.
 */
export function weighText(text: string, count: TokenCount): Weight {
  return { characters: text.length + separator.length, tokens: count(`${text}${separator}`) };
}

/** A prompt without large texts. */
export function weighDraft(draft: PromptDraft, nonce: NonceSource, count: TokenCount): Weight {
  return add(...compose(draft, { nonce }).parts.map(({ text }) => weighText(text, count)));
}

/** Weighs every artifact of a feature once. */
export function weighArtifacts(
  feature: CorpusFeature,
  nonce: NonceSource,
  count: TokenCount,
): FeatureWeights {
  const weights: Partial<Record<ArtifactKey | 'prd-sections', ArtifactWeight>> = {};
  for (const key of artifactKeys) {
    const text = feature.texts[key];
    if (text === undefined) continue;
    weights[key] = weighArtifact(key, text, nonce, count);
  }
  const sections = prdSections(feature.texts.prd ?? '');
  if (sections !== '') weights['prd-sections'] = weighArtifact('prd', sections, nonce, count);
  return weights;
}

function weighArtifact(
  key: ArtifactKey,
  text: string,
  nonce: NonceSource,
  count: TokenCount,
): ArtifactWeight {
  const inline = weighText(renderPart(inlineArtifactPart(key, text), 'changing', nonce).text, count);
  const around = weighText(renderPart(inlineArtifactPart(key, ''), 'changing', nonce).text, count);
  const own = Math.max(0, inline.tokens - around.tokens);
  return { inline, readTokens: own + countLines(text) * lineNumberTokens };
}

/** T-019, T-054: before references, one role was given these two sections instead of the PRD. */
function prdSections(prd: string): string {
  return outline(prd)
    .filter(({ title }) => /^(?:problem statement|goals)\b/i.test(title))
    .map((section) => sectionText(prd, section))
    .join('\n');
}
