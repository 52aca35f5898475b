import { createHash } from 'node:crypto';

/** L-880: rows of the token ledger. */
export type TokenRow =
  | { type: 'mark'; step: string; ts: number }
  | {
      type: 'vendor';
      vendor: string;
      input: number;
      output: number;
      cache_read: number;
      cache_create: number;
      total: number;
      /** A short label such as `cursor_review`, never free text. */
      raw: string;
      ts: number;
    };

/** L-880: the vendor name of a caller's own transcript; our children of that vendor are `claude_sub`. */
export const reservedVendor = 'claude';

/** L-880: the ledger of a session. */
export function tokenLedgerName(sessionId: string): string {
  return `larch-tokens-${createHash('sha256').update(sessionId).digest('hex')}.jsonl`;
}

/** L-881: the session id by precedence; the working directory is the last resort. */
export function tokenSessionId(sources: { environment?: string; file?: string; directory: string }): string {
  return (
    sources.environment ||
    sources.file?.trim() ||
    createHash('sha256').update(sources.directory).digest('hex')
  );
}

export function vendorTokenRow(
  vendor: string,
  usage: { inputTokens: number; outputTokens: number; cachedInputTokens: number; cacheWriteTokens?: number },
  label: string,
  ts: number,
): TokenRow {
  const cacheCreate = usage.cacheWriteTokens ?? 0;
  return {
    type: 'vendor',
    vendor: vendor === reservedVendor ? `${vendor}_sub` : vendor,
    input: usage.inputTokens,
    output: usage.outputTokens,
    cache_read: usage.cachedInputTokens,
    cache_create: cacheCreate,
    total: usage.inputTokens + usage.outputTokens + usage.cachedInputTokens + cacheCreate,
    raw: label.replace(/[^A-Za-z0-9_]+/g, '_').slice(0, 40),
    ts,
  };
}

export function renderTokenRow(row: TokenRow): string {
  return `${JSON.stringify(row)}\n`;
}
