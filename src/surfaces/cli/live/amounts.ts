import type { Usage } from '../../../agents/port.ts';
import { shortCount } from '../../../base/text/format.ts';

/** Tokens of one call: `12k`, `~12k` when estimated, `?` when nobody knows. */
export function callTokens({ basis, inputTokens, outputTokens }: Usage): string {
  if (basis === 'unknown') return '?';
  return `${basis === 'estimated' ? '~' : ''}${shortCount(inputTokens + outputTokens)}`;
}

/** Tokens of several calls; those that nobody knows are counted, never taken for nothing. */
export function tokensOf(usages: readonly Usage[]): string | undefined {
  if (usages.length === 0) return undefined;
  const known = usages.filter(({ basis }) => basis !== 'unknown');
  const unknown = usages.length - known.length;
  const sum = known.reduce((total, { inputTokens, outputTokens }) => total + inputTokens + outputTokens, 0);
  const estimated = known.some(({ basis }) => basis === 'estimated') ? '~' : '';
  const calls = unknown === 1 ? '1 call' : `${unknown} calls`;
  if (known.length === 0) return 'tokens unknown';
  return `${estimated}${shortCount(sum)} tokens${unknown === 0 ? '' : ` + ${calls} unknown`}`;
}
