import type { ServerResponse } from 'node:http';
import { ShopError } from '../errors.ts';

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** Known errors keep their status and message; everything else is a plain 500. */
export function sendError(response: ServerResponse, error: unknown): void {
  if (error instanceof ShopError) {
    sendJson(response, error.status, { error: { code: error.code, message: error.message } });
    return;
  }
  sendJson(response, 500, { error: { code: 'internal', message: 'Something went wrong.' } });
}
