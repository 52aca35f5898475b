import { type Readable, Transform, type Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { isRecord } from '../../base/safe-json.ts';
import type { Project } from '../../service/project.ts';
import { makeServer } from './server.ts';

/**
 * Serves one client over two streams until the signal aborts, or the input ends and its requests are answered. Runs continue without the
 * server.
 */
export async function serveClient(
  project: Project,
  { input, output, signal }: { input: Readable; output: Writable; signal: AbortSignal },
): Promise<void> {
  const server = makeServer(project);
  const lines = wholeLines();
  const transport = new StdioServerTransport(lines, output);
  const traffic = watchTraffic(transport, output);
  const gone = new Promise<void>((resolve) => {
    lines.once('end', () => traffic.whenAnswered(resolve));
    output.once('error', () => resolve());
    server.server.onclose = resolve;
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(transport);
  input.once('close', () => lines.end());
  input.pipe(lines);
  await gone;
  input.unpipe(lines);
  input.pause();
  await server.close();
}

const lineFeed = 10;
const carriageReturn = 13;

/** Drops empty lines and ends the last line, which the transport would otherwise not read. */
function wholeLines(): Transform {
  let last = lineFeed;
  return new Transform({
    transform(chunk: Buffer | string, _encoding, done) {
      const kept = Buffer.from(chunk).filter((byte) => {
        if (last === lineFeed && (byte === lineFeed || byte === carriageReturn)) return false;
        last = byte;
        return true;
      });
      done(null, kept);
    },
    flush: (done) => done(null, last === lineFeed ? undefined : '\n'),
  });
}

/** Follows which requests of the client are unanswered, and answers lines that are not messages. */
function watchTraffic(
  transport: StdioServerTransport,
  output: Writable,
): { whenAnswered(done: () => void): void } {
  const pending = new Set<RequestId>();
  /** Requests to the client. Once its input has ended they never get an answer. */
  const asked = new Set<RequestId>();
  let done: (() => void) | undefined;
  const check = () => {
    if (pending.size === 0 || asked.size > 0) done?.();
  };
  transport.onmessage = (message: JSONRPCMessage) => {
    if ('method' in message) {
      if ('id' in message) pending.add(message.id);
      else if (message.method === 'notifications/cancelled')
        pending.delete(message.params?.['requestId'] as RequestId);
    } else if (message.id !== undefined) asked.delete(message.id);
  };
  transport.onerror = (error) => {
    const refusal = refusals[error.name];
    if (refusal === undefined) return;
    output.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: refusal })}\n`);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    await send(message);
    if (!isRecord(message) || !('id' in message) || message.id === undefined) return;
    if ('method' in message) asked.add(message.id);
    else pending.delete(message.id);
    check();
  };
  return {
    whenAnswered(resolve) {
      done = resolve;
      check();
    },
  };
}

/** JSON-RPC errors, by the name of the error with which the transport rejects a line. */
const refusals: Readonly<Record<string, { code: number; message: string }>> = {
  SyntaxError: { code: -32_700, message: 'Parse error: the line is not valid JSON.' },
  ZodError: { code: -32_600, message: 'Invalid request: the line is not a JSON-RPC message.' },
};
