import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  type AgentApp,
  agent,
  type ClientCapabilities,
  type ContentBlock,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import { maxFeatureBytes } from '../../service/design.ts';
import type { ProjectOptions } from '../../service/project.ts';
import { Session } from './session.ts';

/** The words of a prompt. Files that were mentioned are named; their text, where the editor sent it, comes after. */
export function featureText(blocks: readonly ContentBlock[]): string {
  const words = blocks.flatMap((block) => {
    if (block.type === 'text') return [block.text];
    if (block.type === 'resource_link') return [nameOf(block.uri)];
    return [];
  });
  const attached = blocks.flatMap((block) =>
    block.type === 'resource' && 'text' in block.resource
      ? [`${nameOf(block.resource.uri)}:\n${block.resource.text}`]
      : [],
  );
  return [words.join(' ').trim(), ...attached].filter((part) => part !== '').join('\n\n');
}

function nameOf(uri: string): string {
  try {
    return uri.startsWith('file://') ? fileURLToPath(uri) : uri;
  } catch {
    return uri;
  }
}

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

/** Depths of a design as modes of a session. */
const modes = [
  { id: 'regular', name: 'Panel', description: 'Four sketches, debates, review and votes' },
  { id: 'quick', name: 'Quick', description: 'Two sketches, then plan and review' },
  { id: 'wide', name: 'Wide', description: 'Five stances by two agents' },
  { id: 'solo', name: 'Solo', description: 'One agent alone, same plan format' },
] as const;

const commands = [
  {
    name: 'resume',
    description: 'Resume a stopped run',
    input: { hint: 'run id, or nothing for the last one' },
  },
];

/** Charrette as an agent that editors talk to. `close` stops what runs; runs can be resumed. */
export function makeAgent(
  options: ProjectOptions,
  version: string,
): { app: AgentApp; close(): Promise<void> } {
  const sessions = new Map<string, Session>();
  let capabilities: ClientCapabilities | undefined;
  const sessionOf = (id: string): Session => {
    const session = sessions.get(id);
    if (session === undefined) throw RequestError.invalidParams({ message: `Unknown session ${id}.` });
    return session;
  };
  const app = agent({ name: 'charrette' })
    .onRequest('initialize', ({ params }) => {
      capabilities = params.clientCapabilities;
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'charrette', title: 'Charrette', version },
        agentCapabilities: { loadSession: false, promptCapabilities: { embeddedContext: true } },
        authMethods: [],
      };
    })
    .onRequest('session/new', async ({ params, client }) => {
      const { cwd } = params;
      if (!path.isAbsolute(cwd) || !existsSync(cwd))
        throw RequestError.invalidParams({ message: `The directory ${cwd} does not exist.` });
      const session = new Session(randomUUID(), cwd, modes[0].id, options, capabilities);
      sessions.set(session.id, session);
      // Editors know the session only once they have this answer.
      setImmediate(() => {
        const update = { sessionUpdate: 'available_commands_update' as const, availableCommands: commands };
        client.notify('session/update', { sessionId: session.id, update }).catch(() => {});
      });
      return { sessionId: session.id, modes: { currentModeId: modes[0].id, availableModes: [...modes] } };
    })
    .onRequest('session/set_mode', ({ params }) => {
      const mode = modes.find(({ id }) => id === params.modeId);
      if (mode === undefined) {
        const known = modes.map(({ id }) => id).join(', ');
        throw RequestError.invalidParams({
          message: `Unknown mode ${params.modeId}; available: ${known}.`,
        });
      }
      sessionOf(params.sessionId).depth = mode.id;
      return {};
    })
    .onRequest('session/prompt', ({ params, client }) => {
      const text = featureText(params.prompt);
      if (text === '')
        throw RequestError.invalidParams({ message: 'The prompt is empty; describe what to design.' });
      if (text.includes('\0'))
        throw RequestError.invalidParams({ message: 'The prompt has a NUL character; it must be text.' });
      if (Buffer.byteLength(text) > maxFeatureBytes)
        throw RequestError.invalidParams({
          message: `The prompt with its files has more than ${maxFeatureBytes} bytes; name files instead of attaching them.`,
        });
      const session = sessionOf(params.sessionId);
      if (session.busy) throw RequestError.invalidParams({ message: 'A prompt of this session is running.' });
      return session.prompt(text, client);
    })
    .onNotification('session/cancel', async ({ params }) => {
      await sessions.get(params.sessionId)?.cancel();
    });
  return {
    app,
    async close() {
      await Promise.all([...sessions.values()].map((session) => session.cancel()));
    },
  };
}
