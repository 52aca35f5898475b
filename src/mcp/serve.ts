import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { makeServer } from './server.ts';
import type { ServerContext } from './tool.ts';

/** Serves one client over two streams until it goes away or the signal says so. Runs go on without it. */
export async function serveClient(
  context: ServerContext,
  { input, output, signal }: { input: Readable; output: Writable; signal: AbortSignal },
): Promise<void> {
  const server = makeServer(context);
  const gone = new Promise<void>((resolve) => {
    input.once('end', resolve);
    input.once('close', resolve);
    output.once('error', () => resolve());
    server.server.onclose = resolve;
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(new StdioServerTransport(input, output));
  await gone;
  await server.close();
}
