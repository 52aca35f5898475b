import { createHash } from 'node:crypto';

/** Names the exact text of a plan, so that everybody sees which version a verdict was given on. */
export function planDigest(planText: string): string {
  const text = planText.replace(/\r\n?/g, '\n').trimEnd();
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
