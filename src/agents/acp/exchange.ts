import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientConnection } from '@agentclientprotocol/sdk';
import { isRecord } from '../../base/safe-json.ts';
import type { Conversation, Signal } from '../drivers/driver.ts';
import { emptyReading, eventsOf, type Reading, readSignal, toolNamer } from '../drivers/reading.ts';
import type { ProcessExit } from '../run-process.ts';
import { type Opening, type OpenSession, openSession } from './conversation.ts';
import { failureOfError } from './failure.ts';
import { judgeTurn } from './judge-turn.ts';
import { answerPermission } from './permission.ts';
import { emptyTranscript, readUpdate } from './transcript.ts';
import { openWire } from './wire.ts';

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
