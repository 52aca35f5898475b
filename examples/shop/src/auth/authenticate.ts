import { unauthorized } from '../errors.ts';
import type { Middleware } from '../http/router.ts';
import { verifyToken } from './tokens.ts';

/** Lets a request through only with a valid `Authorization: Bearer` token and tells the handler whose it is. */
export function requireCustomer(secret: string, now: () => Date): Middleware {
  return (next) => async (request) => {
    const [scheme, token] = (request.headers.authorization ?? '').split(' ');
    if (scheme !== 'Bearer' || token === undefined) throw unauthorized('A token is needed.');
    const claims = verifyToken(secret, token, now());
    if (claims === undefined) throw unauthorized('The token is wrong or has expired.');
    return next({ ...request, customerId: claims.customerId });
  };
}
