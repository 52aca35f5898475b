import { stem } from './words.ts';

type Concept = { said: readonly string[]; means: readonly string[] };

/**
 * Words people use for a part of a program, and words the code uses for it. A description that says the first is also
 * searched for the second, at a lower weight (`conceptWeight`).
 */
export const concepts: readonly Concept[] = [
  {
    said: ['api', 'endpoint', 'endpoints', 'rest'],
    means: ['router', 'route', 'handler', 'handle', 'http', 'server', 'request', 'controller'],
  },
  {
    said: ['limiting', 'limiter', 'throttle', 'throttling', 'quota'],
    means: ['middleware', 'handler', 'handle', 'request', 'server', 'http', 'config'],
  },
  {
    said: [
      'login',
      'logout',
      'signin',
      'signout',
      'authentication',
      'auth',
      'authorization',
      'permission',
      'role',
    ],
    means: ['auth', 'token', 'session', 'authenticate', 'password', 'user', 'middleware'],
  },
  {
    said: ['cancel', 'cancellation', 'refund', 'return', 'abort'],
    means: ['status', 'state', 'refund', 'cancel'],
  },
  { said: ['checkout', 'purchase', 'buy'], means: ['order', 'cart', 'payment', 'charge'] },
  { said: ['payment', 'pay', 'billing', 'invoice'], means: ['payment', 'charge', 'gateway', 'order'] },
  {
    said: ['discount', 'coupon', 'voucher', 'promotion', 'tax', 'vat', 'currency'],
    means: ['price', 'cart', 'total', 'amount'],
  },
  {
    said: ['inventory', 'stock', 'availability', 'warehouse'],
    means: ['stock', 'product', 'catalogue', 'catalog'],
  },
  {
    said: ['database', 'persist', 'persistence', 'postgres', 'sqlite', 'sql', 'transaction'],
    means: ['store', 'storage', 'repository', 'model', 'database', 'db'],
  },
  { said: ['cache', 'caching', 'memoize'], means: ['cache', 'store', 'ttl'] },
  {
    said: ['logging', 'log', 'metrics', 'observability', 'tracing', 'telemetry', 'monitoring'],
    means: ['logger', 'log', 'handle', 'request', 'metric'],
  },
  {
    said: ['configuration', 'setting', 'settings', 'option', 'flag', 'environment'],
    means: ['config', 'configuration', 'env', 'option', 'settings'],
  },
  {
    said: ['pagination', 'paginate', 'paging', 'page', 'cursor'],
    means: ['list', 'search', 'query', 'route', 'limit'],
  },
  { said: ['search', 'filter', 'sort', 'find'], means: ['search', 'query', 'list', 'filter', 'catalogue'] },
  {
    said: ['validation', 'validate', 'sanitize', 'input'],
    means: ['body', 'field', 'schema', 'parse', 'request'],
  },
  { said: ['error', 'exception', 'failure'], means: ['error', 'response', 'handle'] },
  {
    said: ['email', 'mail', 'notification', 'notify', 'webhook', 'sms'],
    means: ['notify', 'mail', 'customer', 'user', 'event'],
  },
  {
    said: ['retry', 'timeout', 'idempotent', 'idempotency', 'resilience'],
    means: ['gateway', 'client', 'request', 'charge', 'fetch'],
  },
  {
    said: ['ui', 'frontend', 'button', 'screen', 'theme', 'dark'],
    means: ['component', 'view', 'page', 'style', 'css'],
  },
  {
    said: ['cli', 'command', 'terminal', 'argument'],
    means: ['command', 'cli', 'program', 'argv', 'option'],
  },
  {
    said: ['cors', 'csrf', 'header', 'headers', 'compression', 'gzip'],
    means: ['header', 'response', 'server', 'middleware', 'http'],
  },
  {
    said: ['health', 'healthcheck', 'readiness', 'shutdown', 'graceful'],
    means: ['server', 'listen', 'main', 'app', 'close'],
  },
];

const meanings = new Map<string, Set<string>>();
for (const { said, means } of concepts) {
  for (const word of said) {
    const known = meanings.get(stem(word)) ?? new Set<string>();
    for (const meaning of means) known.add(stem(meaning));
    meanings.set(stem(word), known);
  }
}

/** The terms that a term of a description also stands for. */
export const meantBy = (term: string): ReadonlySet<string> => meanings.get(term) ?? new Set();
