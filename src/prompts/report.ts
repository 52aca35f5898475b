import type { ComposedPrompt, PartKind } from './compose.ts';

export type TokenCount = (text: string) => number;

export type PromptReport = {
  characters: number;
  tokens: number;
  /** What a provider's prompt cache can reuse between iterations. */
  prefixCharacters: number;
  prefixTokens: number;
  /** Counted one by one; because tokens can join across borders the sum may differ from the total by a few. */
  parts: readonly { name: string; kind: PartKind; characters: number; tokens: number }[];
};

/** T-135: what a prompt weighs, whole and by part, in characters and in tokens of the given counter. */
export function reportPrompt(prompt: ComposedPrompt, count: TokenCount): PromptReport {
  return {
    characters: prompt.text.length,
    tokens: count(prompt.text),
    prefixCharacters: prompt.prefix.length,
    prefixTokens: count(prompt.prefix),
    parts: prompt.parts.map(({ name, kind, text }) => ({
      name,
      kind,
      characters: text.length,
      tokens: count(text),
    })),
  };
}
