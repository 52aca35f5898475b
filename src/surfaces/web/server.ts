import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exitCodes } from '../../base/error-table.ts';
import { CharretteError, exitCodeOf, toCharretteError } from '../../base/errors.ts';
import { readJson } from '../../base/safe-json.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { isFinal, readRunRecord } from '../../engine/run-record.ts';
import { followQueued } from '../../service/queue-facts.ts';
import {
  type Approach,
  type House,
  loopbackNames,
  refuseHost,
  refuseOrigin,
  refuseUnauthorized,
} from './guard.ts';
import type { PageFile } from './page-files.ts';
import { header, headers, refuse, respond, respondError, sendFile } from './reply.ts';
import { answerRoute, type Desk, type Reply } from './routes.ts';
import { RunTails } from './run-tail.ts';

export type WebOptions = {
  host: string;
  /** 0: any free one. */
  port: number;
  /** Names of a proxy in front of the server. */
  names: readonly string[];
  files: ReadonlyMap<string, PageFile>;
  token?: string;
};

export type WebServer = { url: string; port: number; token: string; close: () => Promise<void> };

const largestBody = 256 * 1024;
const mostStreams = 500;
/** A client that reads more slowly than this much behind is disconnected; it reconnects and says where it was. */
const mostUnsent = 16 * 1024 * 1024;
const beatMs = 15_000;

/** Serves the page and its API until closed. */
export async function startWebServer(desk: Desk, options: WebOptions): Promise<WebServer> {
  const token = options.token ?? randomBytes(24).toString('base64url');
  const tails = new RunTails((directory, signal) => copyQueued(desk, directory, signal));
  const streams = new Set<ServerResponse>();
  const house: House = { token, port: options.port, hosts: [], names: [] };
  const server = createServer({ maxHeaderSize: 16 * 1024, requestTimeout: 30_000 }, (request, response) => {
    void handle({ desk, options, house, tails, streams }, request, response);
  });
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  const shown = options.host.includes(':') ? `[${options.host}]` : options.host;
  const own = options.host === '0.0.0.0' || options.host === '::' ? [] : [shown.toLowerCase()];
  const names = options.names.map((name) => name.toLowerCase());
  Object.assign(house, {
    port,
    hosts: [...loopbackNames, ...own],
    // Whatever else runs on this machine goes by these, too.
    names: names.filter((name) => !loopbackNames.includes(name)),
  });
  const beat = setInterval(() => {
    for (const stream of streams) stream.write(': still here\n\n');
  }, beatMs).unref();
  return {
    url: `http://${own[0] ?? '127.0.0.1'}:${port}/?token=${token}`,
    port,
    token,
    async close() {
      clearInterval(beat);
      tails.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Keeps a run that a worker elsewhere has up to date here, for as long as a page shows it. */
async function copyQueued({ project }: Desk, directory: RunDirectory, signal: AbortSignal) {
  const { queue, status } = await readRunRecord(directory);
  if (queue !== undefined && !isFinal(status)) await followQueued(project, directory.id, () => {}, signal);
}

type Room = {
  desk: Desk;
  options: WebOptions;
  house: House;
  tails: RunTails;
  streams: Set<ServerResponse>;
};

async function handle(room: Room, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('error', () => {});
  try {
    const address = readAddress(request);
    const approach = approachOf(request, address?.searchParams.get('token') ?? undefined);
    const refusal =
      refuseHost(approach, room.house) ??
      (address === undefined
        ? ({ status: 400, message: 'The address cannot be read.' } as const)
        : undefined) ??
      (fileAt(room, request, address)?.forAnySite === true ? undefined : refuseOrigin(approach, room.house));
    if (refusal !== undefined || address === undefined) refuse(request, response, refusal);
    else await admit(room, address, approach, request, response);
  } catch (thrown) {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { code, message, fix } = toCharretteError(thrown);
    // The message of an unforeseen error may contain anything.
    const shown = code === 'internal' ? 'The server could not answer.' : message;
    respondError(response, statusOf(thrown), { code, message: shown, fix });
  }
}

async function admit(
  room: Room,
  address: URL,
  approach: Approach,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refusal = refuseUnauthorized(approach, room.house);
  const file = fileAt(room, request, address);
  // The files of the page are the same for everybody; the first page is not shown without the token.
  if (file !== undefined && (address.pathname !== '/' || refusal === undefined)) {
    sendFile(room.house, file, request, response, address);
  } else if (refusal !== undefined) {
    refuse(request, response, refusal);
  } else {
    const reply = await answerRoute(room.desk, request.method ?? '', address.pathname, {
      query: address.searchParams,
      lastEventId: header(request, 'last-event-id'),
      body: () => readBody(request),
    });
    send(room, reply, request, response);
  }
}

function fileAt({ options }: Room, request: IncomingMessage, address: URL | undefined): PageFile | undefined {
  return request.method === 'GET' && address !== undefined ? options.files.get(address.pathname) : undefined;
}

function readAddress(request: IncomingMessage): URL | undefined {
  const target = request.url ?? '';
  // An absolute form or a doubled slash would name another host.
  if (!target.startsWith('/') || target.startsWith('//')) return undefined;
  return URL.canParse(target, 'http://localhost') ? new URL(target, 'http://localhost') : undefined;
}

function approachOf(request: IncomingMessage, query: string | undefined): Approach {
  return {
    method: request.method ?? '',
    host: header(request, 'host'),
    origin: header(request, 'origin'),
    fetchSite: header(request, 'sec-fetch-site'),
    cookie: header(request, 'cookie'),
    authorization: header(request, 'authorization'),
    contentType: header(request, 'content-type'),
    query,
  };
}

function send(room: Room, reply: Reply, request: IncomingMessage, response: ServerResponse): void {
  if (reply.kind === 'stream') stream(room, reply, request, response);
  else if (reply.kind === 'json')
    respond(response, 200, 'application/json; charset=utf-8', JSON.stringify(reply.value));
  else
    respond(
      response,
      200,
      `${reply.kind === 'text' ? 'text/plain' : 'application/x-ndjson'}; charset=utf-8`,
      reply.text,
    );
}

function stream(
  room: Room,
  { directory, after }: Extract<Reply, { kind: 'stream' }>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { socket } = request;
  // Gone before the answer: no event would release it.
  if (socket.destroyed) return;
  if (room.streams.size >= mostStreams) {
    refuse(request, response, { status: 503, message: 'Too many streams are open.' });
    return;
  }
  response.writeHead(200, {
    ...headers.data,
    'Content-Type': 'text/event-stream; charset=utf-8',
    'X-Accel-Buffering': 'no',
  });
  socket.setNoDelay(true);
  room.streams.add(response);
  const leave = room.tails.join(directory, after, (frames) => {
    if (response.writableLength > mostUnsent) response.destroy();
    else response.write(frames);
  });
  // Node before 24 tells only the first response of a connection that it is closed; any number may wait behind it.
  socket.setMaxListeners(0).once('close', () => {
    room.streams.delete(response);
    leave();
  });
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > largestBody)
      throw new CharretteError({
        code: 'file-too-large',
        message: `The body has more than ${largestBody} bytes.`,
      });
    chunks.push(chunk as Buffer);
  }
  const reading = readJson(Buffer.concat(chunks).toString('utf8'));
  if (reading.ok) return reading.value;
  throw new CharretteError({ code: 'json-invalid', message: `The body is not JSON: ${reading.message}.` });
}

/** The error table knows exit codes; these are their HTTP counterparts. */
const statuses: Readonly<Record<number, number>> = {
  [exitCodes.usage]: 400,
  [exitCodes.notFound]: 404,
  [exitCodes.denied]: 403,
  [exitCodes.timedOut]: 504,
};

function statusOf(thrown: unknown): number {
  return statuses[exitCodeOf(toCharretteError(thrown))] ?? 500;
}

/** Faults of the port; all others are of the address. */
const portFaults: ReadonlySet<string> = new Set(['EADDRINUSE', 'EACCES']);

function listen(server: Server, { host, port }: WebOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new CharretteError({
          code: cause.code === 'EACCES' ? 'permission-denied' : 'usage',
          message: `The page cannot be served on ${host}:${port}: ${cause.code}.`,
          fix: portFaults.has(cause.code ?? '')
            ? 'Choose another port with --port, or 0 for any free one.'
            : 'Choose an address of this machine with --host, or leave it out for 127.0.0.1.',
          cause,
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
}
