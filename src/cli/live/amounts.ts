import type { Usage } from '../../agents/port.ts';

/** `950`, `12.3k`, `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  const [value, unit] = count < 999_950 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 100 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${unit}`;
}

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
