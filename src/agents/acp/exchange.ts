import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AnyMessage,
  ClientConnection,
  RequestPermissionRequest,
  RequestPermissionResponse,
  Stream,
  ToolKind,
} from '@agentclientprotocol/sdk';
import { isRecord, readJson } from '../../base/safe-json.ts';
import type { Conversation, Signal } from '../drivers/driver.ts';
import { emptyReading, eventsOf, type Reading, readSignal, toolNamer } from '../drivers/reading.ts';
import type { Access } from '../port.ts';
import type { ProcessExit } from '../run-process.ts';
import { type Opening, type OpenSession, openSession } from './conversation.ts';
import { failureOfError, judgeTurn } from './judge-turn.ts';
import { emptyTranscript, readUpdate } from './transcript.ts';

/** What an agent with read access may do when it asks. The kind is its own word; the jail does not rely on it. */
const readingKinds: readonly ToolKind[] = ['read', 'search', 'think'];

/**
 * Our answer to an agent that asks before it uses a tool. Where a jail refuses the writing itself, the agent may try:
 * some can only read by a shell. Permissions are given for this once, never for good.
 */
export function answerPermission(
  { toolCall, options }: RequestPermissionRequest,
  { access, jailed }: { access: Access; jailed: boolean },
): RequestPermissionResponse {
  const harmless = jailed || readingKinds.some((kind) => kind === toolCall.kind);
  const allowed = access === 'write' || harmless;
  const wanted = allowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const option = wanted.flatMap((kind) => options.find((candidate) => candidate.kind === kind) ?? [])[0];
  if (option === undefined) return { outcome: { outcome: 'cancelled' } };
  return { outcome: { outcome: 'selected', optionId: option.optionId } };
}

/** A stream of protocol messages over the lines of a process. */
export type Wire = {
  stream: Stream;
  /** One line of the agent's output. What is no message (banners, logs) is ignored. */
  push(line: string): void;
  /** The agent has gone; requests that are open fail. */
  close(): void;
};

export function openWire(write: (text: string) => void): Wire {
  let controller: ReadableStreamDefaultController<AnyMessage> | undefined;
  const readable = new ReadableStream<AnyMessage>({
    start: (given) => {
      controller = given;
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write: (message) => write(`${JSON.stringify(message)}\n`),
  });
  return {
    stream: { readable, writable },
    push(line) {
      const reading = readJson(line);
      if (reading.ok && isRecord(reading.value) && isMessage(reading.value)) {
        controller?.enqueue(reading.value as unknown as AnyMessage);
      }
    },
    close() {
      try {
        controller?.close();
      } catch {
        // Closed before: the connection let go of it first.
      }
      controller = undefined;
    },
  };
}

/** Answers carry the number we gave the question: the library prints any other on the terminal as it came. */
function isMessage({ jsonrpc, method, id }: Record<string, unknown>): boolean {
  return jsonrpc === '2.0' && (method !== undefined || typeof id === 'number');
}

/** How long an agent gets to answer a cancel, and to leave after its input was closed. */
const cancelGraceMs = 2000;
const leaveGraceMs = 2500;

export type ExchangeRequest = Opening &
  Omit<Conversation, 'request'> & {
    prompt: string;
    /** Whether a jail keeps the agent from writing, whatever it is allowed. */
    jailed: boolean;
  };

/** One prompt from hello to goodbye. Never throws for what the agent does; the reading and the exit say it. */
export async function exchange(request: ExchangeRequest): Promise<{ reading: Reading; exit: ProcessExit }> {
  const { client } = await import('@agentclientprotocol/sdk');
  const { context, task, jailed } = request;
  const rights = { access: task.access, jailed };
  const hard = new AbortController();
  let reading = emptyReading;
  let transcript = emptyTranscript;
  let prompted = false;
  const named = toolNamer();
  const note = (signal: Signal) => {
    reading = readSignal(reading, signal);
    for (const event of eventsOf(named(signal))) context.onEvent(event);
  };

  const wire = openWire((text) => process.write(text));
  const process = request.start({
    onLine: (line) => {
      wire.push(line);
      return undefined;
    },
    signal: hard.signal,
  });
  const gone = process.exited.finally(() => wire.close());
  const connection = client({ name: 'charrette' })
    .onRequest('session/request_permission', ({ params }) => answerPermission(params, rights))
    .onNotification('*', ({ method, params }) => {
      // A resumed session is told again from its beginning; that is not this prompt's answer.
      if (!prompted || method !== 'session/update' || !isRecord(params)) return;
      const read = readUpdate(transcript, params['update']);
      transcript = read.transcript;
      for (const signal of read.signals) note(signal);
    })
    .connect(wire.stream);

  let session: OpenSession | undefined;
  const release = onAbort(context.signal, () => askToStop(connection, session?.session, hard));
  const response: unknown = await (async () => {
    session = await openSession(connection.agent, request);
    note({ type: 'session', id: session.session });
    prompted = true;
    const prompt = [{ type: 'text' as const, text: request.prompt }];
    return connection.agent.request('session/prompt', { sessionId: session.session, prompt });
  })().catch((error: unknown) => {
    // A connection that broke because the process left says nothing; its exit does.
    if (context.signal.aborted)
      note({ type: 'failure', kind: 'cancelled', message: 'The call was cancelled.' });
    else if (!connection.signal.aborted) note({ type: 'failure', ...failureOfError(error) });
    return undefined;
  });
  if (response !== undefined) {
    const turn = {
      response,
      transcript,
      agent: session?.agent ?? '',
      request,
      stopped: context.signal.aborted,
    };
    for (const signal of judgeTurn(turn)) note(signal);
  }
  release();
  process.closeInput();
  await Promise.race([gone, sleep(leaveGraceMs, undefined, { ref: false })]);
  process.end('driver');
  const exit = await gone;
  connection.close();
  return { reading, exit };
}

/** First the polite way, which keeps the session usable; then the process is ended. */
function askToStop(connection: ClientConnection, sessionId: string | undefined, hard: AbortController): void {
  if (sessionId === undefined) {
    hard.abort();
    return;
  }
  connection.agent.notify('session/cancel', { sessionId }).catch(() => undefined);
  setTimeout(() => hard.abort(), cancelGraceMs).unref();
}

function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act();
  signal.addEventListener('abort', act, { once: true });
  return () => signal.removeEventListener('abort', act);
}
