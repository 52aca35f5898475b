import type { IncomingMessage } from 'node:http';
import { badRequest, ShopError } from '../errors.ts';

const maximumBytes = 64 * 1024;

/** Reads a JSON body; `undefined` when there is none. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maximumBytes) throw new ShopError(413, 'too_large', `At most ${maximumBytes} bytes are read.`);
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw badRequest('The body is not valid JSON.');
  }
}

/** The named fields of a body, each checked to be of the wanted type. */
export function readFields<Wanted extends Record<string, 'string' | 'number'>>(
  body: unknown,
  wanted: Wanted,
): { [Name in keyof Wanted]: Wanted[Name] extends 'string' ? string : number } {
  const record = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  for (const [name, type] of Object.entries(wanted)) {
    if (typeof record[name] !== type) throw badRequest(`"${name}" must be a ${type}.`);
  }
  return record as { [Name in keyof Wanted]: Wanted[Name] extends 'string' ? string : number };
}
