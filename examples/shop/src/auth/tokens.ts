import { createHmac, timingSafeEqual } from 'node:crypto';

export type TokenClaims = { customerId: string; expiresAt: number };

/** Issues a signed token; it is valid until `expiresAt` (milliseconds) and cannot be taken back. */
export function issueToken(secret: string, claims: TokenClaims): string {
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${payload}.${sign(secret, payload)}`;
}

/** The claims of a token with a right signature that has not expired; otherwise `undefined`. */
export function verifyToken(secret: string, token: string, now: Date): TokenClaims | undefined {
  const [payload = '', signature = ''] = token.split('.');
  const [given, right] = [Buffer.from(signature), Buffer.from(sign(secret, payload))];
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as TokenClaims;
  return claims.expiresAt > now.getTime() ? claims : undefined;
}

function sign(secret: string, payload: string): string {
  return createHmac('sha256', secret).update(payload).digest('base64url');
}
