import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AnyMessage,
  ClientConnection,
  ClientContext,
  InitializeResponse,
  NewSessionRequest,
  RequestPermissionRequest,
  RequestPermissionResponse,
  Stream,
  ToolKind,
} from '@agentclientprotocol/sdk';
import { isRecord, readJson } from '../../base/safe-json.ts';
import type { Conversation, Signal } from '../drivers/driver.ts';
import { emptyReading, eventsOf, type Reading, readSignal, toolNamer } from '../drivers/reading.ts';
import type { Access, AgentTask } from '../port.ts';
import type { ProcessExit } from '../run-process.ts';
import { authenticationRequired, codeOf, failureOfError, judgeTurn, ResumeFailure } from './judge-turn.ts';
import { emptyTranscript, readUpdate } from './transcript.ts';

/** What an agent with read access may do when it asks. The kind is its own word; the jail does not rely on it. */
const readingKinds: readonly ToolKind[] = ['read', 'search', 'think'];

/**
 * Our answer to an agent that asks before it uses a tool. Where a jail refuses the writing itself, the agent may try:
 * some can only read by a shell. Permissions are given once, never permanently.
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
  /** One line of the agent's output. Other lines (banners, logs) are ignored. */
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
        // Closed before: the connection released it first.
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

/** One prompt from start to end. Never throws for what the agent does; stream state and exit report it. */
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
      // A resumed session is replayed from its beginning; that is not this prompt's answer.
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

/** How to set the mode of a session: the agent's mode list, or a configuration option. */
type ModeChange = { by: 'mode'; modeId: string } | { by: 'option'; configId: string; value: string };

/** Modes that keep an agent from writing, the strongest first; the last asks before each tool, and we refuse. */
const readingModes: readonly RegExp[] = [/\bread[-_ ]?only\b/i, /(^|#|\b)plan$/i, /^(ask|approve|default)$/i];

/** The change that makes a session read-only, as far as the agent offers one. */
function readOnlyMode(session: unknown): ModeChange | undefined {
  const choices = [...modesOf(session), ...optionsOf(session, 'mode')];
  for (const pattern of readingModes) {
    const found = choices.find(({ names }) => names.some((name) => pattern.test(name)));
    if (found !== undefined) return found.change;
  }
  return undefined;
}

/** The change that selects a model by id or name, where the agent lets itself be asked. */
function modelOption(session: unknown, model: string): ModeChange | undefined {
  return optionsOf(session, 'model').find(({ names }) => names.includes(model))?.change;
}

type Choice = { names: string[]; change: ModeChange };

function modesOf(session: unknown): Choice[] {
  const modes = isRecord(session) && isRecord(session['modes']) ? session['modes']['availableModes'] : [];
  return records(modes).flatMap(({ id, name }) =>
    typeof id === 'string' ? [{ names: texts(id, name), change: { by: 'mode', modeId: id } }] : [],
  );
}

function optionsOf(session: unknown, category: string): Choice[] {
  const all = isRecord(session) ? records(session['configOptions']) : [];
  return all
    .filter((option) => option['category'] === category && option['type'] === 'select')
    .flatMap((option) =>
      records(option['options'])
        // Options may be grouped.
        .flatMap((entry) => (Array.isArray(entry['options']) ? records(entry['options']) : [entry]))
        .flatMap(({ value, name }): Choice[] =>
          typeof value === 'string' && typeof option['id'] === 'string'
            ? [{ names: texts(value, name), change: { by: 'option', configId: option['id'], value } }]
            : [],
        ),
    );
}

const records = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);
const texts = (...values: unknown[]) => values.filter((value) => typeof value === 'string');

export type Opening = { task: AgentTask; directory: string; resume?: string; model?: string };

/** A session that is ready for its prompt. */
export type OpenSession = { session: string; agent: string; version?: string };

/** Brings a connection to the point where it can be prompted: handshake, session, mode, model. */
export async function openSession(agent: ClientContext, opening: Opening): Promise<OpenSession> {
  const { PROTOCOL_VERSION } = await import('@agentclientprotocol/sdk');
  const hello = await agent.request('initialize', {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'charrette', version: '1' },
  });
  const { session, facts } = await withLogin(agent, hello, () => enterSession(agent, hello, opening));
  if (opening.task.access === 'read') await change(agent, session, readOnlyMode(facts));
  if (opening.model !== undefined) await change(agent, session, modelOption(facts, opening.model));
  const { name = 'unknown', version } = hello.agentInfo ?? {};
  return { session, agent: name, ...(version === undefined ? {} : { version }) };
}

/** Claude's adapter takes its tool list from here; others ignore it. Without such tools nothing can be written. */
const readingTools = { claudeCode: { options: { tools: ['Read', 'Grep', 'Glob'] } } };

async function enterSession(
  agent: ClientContext,
  hello: InitializeResponse,
  opening: Opening,
): Promise<{ session: string; facts: unknown }> {
  const place: NewSessionRequest = {
    cwd: opening.directory,
    mcpServers: [],
    ...(opening.task.access === 'read' ? { _meta: readingTools } : {}),
  };
  if (opening.resume === undefined) {
    const facts = await agent.request('session/new', place);
    return { session: facts.sessionId, facts };
  }
  const session = opening.resume;
  const known = { ...place, sessionId: session };
  const canResume = isRecord(hello.agentCapabilities?.sessionCapabilities?.resume);
  const facts: unknown = await (canResume
    ? agent.request('session/resume', known)
    : agent.request('session/load', known)
  ).catch((error: unknown) => {
    if (codeOf(error) === authenticationRequired) throw error;
    throw new ResumeFailure(failureOfError(error).message);
  });
  return { session, facts };
}

/** Logs in when the agent asks for it, and only with a key: every other way would want a person. */
async function withLogin<Result>(
  agent: ClientContext,
  hello: InitializeResponse,
  enter: () => Promise<Result>,
): Promise<Result> {
  try {
    return await enter();
  } catch (error) {
    const method = hello.authMethods?.find(({ id }) => /api[-_]?key/i.test(id));
    if (codeOf(error) !== authenticationRequired || method === undefined) throw error;
    await agent.request('authenticate', { methodId: method.id });
    return enter();
  }
}

async function change(
  agent: ClientContext,
  sessionId: string,
  wanted: ModeChange | undefined,
): Promise<void> {
  if (wanted?.by === 'mode') await agent.request('session/set_mode', { sessionId, modeId: wanted.modeId });
  if (wanted?.by === 'option') {
    const { configId, value } = wanted;
    await agent.request('session/set_config_option', { sessionId, configId, value });
  }
}
