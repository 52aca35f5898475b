import { createHash } from 'node:crypto';

/** P-091: stands for exactly these files; when one of them is changed, what was confirmed is no longer what is there. */
export function handoffToken(run: string, texts: readonly string[]): string {
  const hash = createHash('sha256').update(run);
  for (const text of texts) hash.update(`\n${Buffer.byteLength(text)}\n`).update(text);
  return hash.digest('hex').slice(0, 32);
}
