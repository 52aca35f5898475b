import { createHash } from 'node:crypto';

/** Names the exact text of a plan, so that a verdict on an older version is never applied to a newer one. */
export function planDigest(planText: string): string {
  const text = planText.replace(/\r\n?/g, '\n').trimEnd();
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Whether a verdict was made on this very plan. */
export function isCurrent(verdictDigest: string, planText: string): boolean {
  return verdictDigest === planDigest(planText);
}
