import { createHash, timingSafeEqual } from 'node:crypto';

/** What the guard checks; header values as received. */
export type Approach = {
  method: string;
  host: string | undefined;
  origin: string | undefined;
  fetchSite: string | undefined;
  cookie: string | undefined;
  authorization: string | undefined;
  contentType: string | undefined;
  /** `token` in the query. */
  query: string | undefined;
};

export type House = {
  token: string;
  port: number;
  /** Names by which this server may be called on its own port, lower case, without port. */
  hosts: readonly string[];
  /** Names by which a proxy that speaks TLS is called, on any port. */
  names: readonly string[];
};

export type Refusal = { status: 400 | 401 | 403 | 415 | 421; message: string };

/** Names of this machine for itself; a page of another site that is rebound to 127.0.0.1 still calls itself by its own. */
export const loopbackNames: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** Cookies do not know ports, so that two servers on one machine need two names. */
export function cookieName(port: number): string {
  return `charrette-${port}`;
}

/** DNS rebinding: only a request to a name we go by is answered at all. */
export function refuseHost({ host }: Approach, { hosts, names, port }: House): Refusal | undefined {
  const { name, port: given = 80 } = readPlace(host ?? '') ?? { name: '' };
  if (names.includes(name) || (hosts.includes(name) && given === port)) return undefined;
  return { status: 421, message: 'This server does not go by that name.' };
}

/** Pages of other origins may neither read nor write here, with or without the token. */
export function refuseOrigin(approach: Approach, house: House): Refusal | undefined {
  const { origin, fetchSite, method, contentType } = approach;
  if (origin !== undefined && !isOwnOrigin(origin.toLowerCase(), house))
    return { status: 403, message: 'Requests of other origins are refused.' };
  if (fetchSite !== undefined && !['same-origin', 'none'].includes(fetchSite))
    return { status: 403, message: 'Requests of other sites are refused.' };
  if (method === 'POST' && !/^application\/json\b/i.test(contentType ?? ''))
    return { status: 415, message: 'The body must be application/json.' };
  return undefined;
}

/**
 * Our own port over HTTP, or a name of the proxy over HTTPS. The port of the proxy is unknown here, so that another service
 * under its name could pass; the browser tells by `Sec-Fetch-Site` that it is another origin, and asks before it posts JSON.
 */
function isOwnOrigin(origin: string, { hosts, names, port }: House): boolean {
  const plain = [...hosts, ...names].map((name) => `http://${name}${port === 80 ? '' : `:${port}`}`);
  const secure = origin.startsWith('https://') ? readPlace(origin.slice('https://'.length)) : undefined;
  return plain.includes(origin) || (secure !== undefined && names.includes(secure.name));
}

/** `name`, `name:port`, `[address]:port`. */
function readPlace(text: string): { name: string; port?: number } | undefined {
  const [, name, port] = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name: name.toLowerCase(), ...(port === undefined ? {} : { port: Number(port) }) };
}

/** The token comes as a cookie, as a bearer, or, for the first visit, in the address. */
export function refuseUnauthorized(approach: Approach, house: House): Refusal | undefined {
  const { cookie = '', authorization = '', query } = approach;
  const kept = cookie
    .split(';')
    .map((part) => part.trim().split('='))
    .filter(([name]) => name === cookieName(house.port))
    .map(([, value = '']) => value);
  const bearer = /^Bearer (\S+)$/.exec(authorization)?.[1];
  const given = [...kept, bearer, query].filter((token) => token !== undefined);
  if (given.some((token) => sameText(token, house.token))) return undefined;
  return {
    status: 401,
    message: 'The token is missing or wrong; open the address that `charrette serve` printed.',
  };
}

/** Compares in a time that does not tell how much was right. */
function sameText(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
