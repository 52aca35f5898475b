import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import type { ProjectOptions } from '../../service/project.ts';
import { makeAgent } from './agent.ts';

/** Serves one editor over two streams until it goes away or the signal says so; what runs then is stopped and saved. */
export async function serveEditor(
  options: ProjectOptions,
  version: string,
  { input, output, signal }: { input: Readable; output: Writable; signal: AbortSignal },
): Promise<void> {
  const { app, close } = makeAgent(options, version);
  const gone = new Promise<void>((resolve) => {
    input.once('end', resolve);
    input.once('close', resolve);
    output.once('error', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const stream = ndJsonStream(
    Writable.toWeb(output) as WritableStream<Uint8Array>,
    Readable.toWeb(input) as ReadableStream<Uint8Array>,
  );
  const connection = app.connect(stream);
  await Promise.race([gone, connection.closed]);
  await close();
  connection.close();
}
