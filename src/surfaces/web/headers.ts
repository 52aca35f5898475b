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

/** The drawing board: mermaid writes styles of its own, so it works in a frame that has no origin and no network. */
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
  /** The board has no origin, so that its script is a stranger's to the server; it holds nothing secret. */
  boardScript: {
    ...always,
    'Content-Security-Policy': dataPolicy,
    'Cross-Origin-Resource-Policy': 'cross-origin',
  },
  data: { ...always, 'Content-Security-Policy': dataPolicy },
} as const;
