import type { IncomingMessage, ServerResponse } from 'node:http';
import { CharretteError } from '../../base/errors.ts';
import { cookieName, type House, type Refusal } from './guard.ts';
import type { PageFile } from './page-files.ts';

/** What every answer carries: nothing is guessed, framed by others, kept by proxies or told to other sites. */
const always = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=()',
  'Cache-Control': 'no-store',
} as const;

const directives = (entries: Readonly<Record<string, string>>) =>
  Object.entries(entries)
    .map(([name, value]) => `${name} ${value}`.trim())
    .join('; ');

/** The page: own files only, no inline script or style, no markup made from strings (trusted types). */
const pagePolicy = directives({
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'worker-src': "'self'",
  'frame-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
  'require-trusted-types-for': "'script'",
  'trusted-types': 'charrette-worker',
});

/** The drawing board: mermaid writes its own styles, so it works in a frame that has no origin and no network. */
const boardPolicy = directives({
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'unsafe-inline'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'self'",
  sandbox: 'allow-scripts',
});

/** Data: were a browser to show it as a page, that page could do nothing. */
const dataPolicy = directives({ 'default-src': "'none'", 'frame-ancestors': "'none'", sandbox: '' });

export const headers = {
  page: { ...always, 'Content-Security-Policy': pagePolicy },
  board: { ...always, 'Content-Security-Policy': boardPolicy },
  /** The board has no origin, so that its script is cross-origin to the server; it holds nothing secret. */
  boardScript: {
    ...always,
    'Content-Security-Policy': dataPolicy,
    'Cross-Origin-Resource-Policy': 'cross-origin',
  },
  data: { ...always, 'Content-Security-Policy': dataPolicy },
} as const;

/** A header that may come once; one that came more often is not taken. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** A file of the page. A request with the token in its address gets it as a cookie. */
export function sendFile(
  house: House,
  file: PageFile,
  request: IncomingMessage,
  response: ServerResponse,
  address: URL,
): void {
  // Only the proxy knows; a client that pretends it gets a cookie that it cannot use.
  const secure = header(request, 'x-forwarded-proto') === 'https' ? '; Secure' : '';
  const cookie =
    address.pathname === '/' && address.searchParams.has('token')
      ? {
          'Set-Cookie': `${cookieName(house.port)}=${house.token}; HttpOnly; SameSite=Strict; Path=/${secure}`,
        }
      : {};
  const common = { ...file.headers, ...cookie, 'Cache-Control': 'no-cache', ETag: file.tag };
  if (header(request, 'if-none-match') === file.tag && address.search === '') {
    response.writeHead(304, common).end();
    return;
  }
  response.writeHead(200, { ...common, 'Content-Type': file.type, 'Content-Length': file.body.length });
  response.end(file.body);
}

export function respond(response: ServerResponse, status: number, type: string, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, { ...headers.data, 'Content-Type': type, 'Content-Length': body.length });
  response.end(body);
}

/** An error as every address below `/api` answers it. */
export function respondError(
  response: ServerResponse,
  status: number,
  { code, message, fix }: Pick<CharretteError, 'code' | 'message' | 'fix'>,
): void {
  const text = JSON.stringify({ error: { code, message, fix } });
  respond(response, status, 'application/json; charset=utf-8', text);
}

/** Programs get the document of an error; a person at the address of the page gets a sentence. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, message }: Refusal | { status: 503; message: string } = {
    status: 400,
    message: 'The request cannot be read.',
  },
): void {
  response.setHeader('Connection', 'close');
  if (/^\/api(?:[/?]|$)/.test(request.url ?? ''))
    respondError(response, status, new CharretteError({ code: 'request-refused', message }));
  else respond(response, status, 'text/plain; charset=utf-8', `${message}\n`);
}
