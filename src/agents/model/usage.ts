import type { LanguageModelUsage } from 'ai';
import { type Usage, unknownUsage } from '../port.ts';

/** The tokens of one call: the sum of its steps. A step without figures makes the whole an unknown. */
export function addUsage(total: Usage | undefined, step: LanguageModelUsage): Usage {
  const { inputTokens, outputTokens } = step;
  const before = total ?? { ...unknownUsage, basis: 'measured' };
  const measured = before.basis === 'measured' && inputTokens !== undefined && outputTokens !== undefined;
  const reasoning = (before.reasoningTokens ?? 0) + (step.outputTokenDetails.reasoningTokens ?? 0);
  return {
    basis: measured ? 'measured' : 'unknown',
    inputTokens: before.inputTokens + (inputTokens ?? 0),
    cachedInputTokens: before.cachedInputTokens + (step.inputTokenDetails.cacheReadTokens ?? 0),
    outputTokens: before.outputTokens + (outputTokens ?? 0),
    ...(reasoning > 0 ? { reasoningTokens: reasoning } : {}),
  };
}
