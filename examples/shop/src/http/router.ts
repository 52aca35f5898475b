import type { IncomingMessage } from 'node:http';
import { notFound, ShopError } from '../errors.ts';

export type RouteRequest = {
  method: string;
  path: string;
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: unknown;
  /** Set by `requireCustomer`. */
  customerId?: string;
};

export type RouteResponse = { status: number; body?: unknown };

export type Handler = (request: RouteRequest) => Promise<RouteResponse>;

export type Middleware = (next: Handler) => Handler;

type Route = { method: string; segments: string[]; handler: Handler };

/** Finds the handler of a request by method and path; `:name` segments become parameters. */
export class Router {
  readonly #routes: Route[] = [];

  add(method: string, pattern: string, handler: Handler): void {
    this.#routes.push({ method, segments: splitPath(pattern), handler });
  }

  match(method: string, path: string): { handler: Handler; params: Record<string, string> } {
    const segments = splitPath(path);
    let pathKnown = false;
    for (const route of this.#routes) {
      const params = matchSegments(route.segments, segments);
      if (params === undefined) continue;
      if (route.method === method) return { handler: route.handler, params };
      pathKnown = true;
    }
    if (pathKnown) throw new ShopError(405, 'method_not_allowed', `${method} is not possible here.`);
    throw notFound('page');
  }
}

function splitPath(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function matchSegments(pattern: string[], segments: string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(segment);
    else if (part !== segment) return undefined;
  }
  return params;
}
