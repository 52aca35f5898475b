import type { IncomingMessage, ServerResponse } from 'node:http';
import { ShopError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { readJsonBody } from './body.ts';
import { sendError, sendJson } from './responses.ts';
import type { Router } from './router.ts';

/** Answers one request: finds the route, reads the body, runs the handler, turns errors into answers, logs the outcome. */
export async function handleRequest(
  router: Router,
  logger: Logger,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = request.method ?? 'GET';
  const url = new URL(request.url ?? '/', 'http://shop.invalid');
  const started = performance.now();
  try {
    const { handler, params } = router.match(method, url.pathname);
    const body = await readJsonBody(request);
    const answer = await handler({
      method,
      path: url.pathname,
      params,
      query: url.searchParams,
      headers: request.headers,
      body,
    });
    sendJson(response, answer.status, answer.body);
  } catch (error) {
    if (!(error instanceof ShopError))
      logger.error('request failed', { path: url.pathname, reason: String(error) });
    sendError(response, error);
  }
  logger.info('request', {
    method,
    path: url.pathname,
    status: response.statusCode,
    milliseconds: Math.round(performance.now() - started),
  });
}
