/**
 * A scripted model on loopback that real agent programs accept as their vendor. The script is in the prompt (steps.ts) or
 * given as rules (rules.ts); faults are in the base URL (faults.ts).
 */
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { readJson } from '../../src/base/safe-json.ts';
import { answer, answerOther } from './answer.ts';
import { anthropicWire } from './anthropic.ts';
import { chatWire } from './chat.ts';
import { decide } from './decide.ts';
import { type Fault, faultCounter, placeOf } from './faults.ts';
import { geminiWire } from './gemini.ts';
import { recordOf } from './json.ts';
import { responsesWire } from './responses.ts';
import type { Rule } from './rules.ts';
import type { Turn, UsageFigures, Wire } from './view.ts';

const wires: readonly Wire[] = [anthropicWire, responsesWire, chatWire, geminiWire];

/** Agents are asked for this before they are trusted with work. */
const healthRule: Rule = { when: /^\s*Respond with OK\s*$/m, reply: { say: 'OK' } };

/** What every answer reports unless told otherwise. */
export const defaultUsage: UsageFigures = { inputTokens: 1200, cachedInputTokens: 400, outputTokens: 34 };

export type LoggedRequest = {
  time: number;
  method: string;
  path: string;
  /** The run named in the base URL, or ''. */
  run: string;
  /** Absent for model lists, token counts and unknown paths. */
  wire?: Wire['name'];
  model?: string;
  fault?: Fault;
  /** The key or token that the agent sent. */
  credential?: string;
  tools: string[];
  turns: Turn[];
  reply?: string;
  /** The request as it came, when bodies are kept. */
  body?: Record<string, unknown>;
};

export type ModelServer = {
  port: number;
  url: string;
  requests: LoggedRequest[];
  /** Requests to the model (not lists or counts) of one run. */
  callsOf(run: string): LoggedRequest[];
  close(): Promise<void>;
};

export type ModelServerOptions = {
  port?: number;
  rules?: readonly Rule[];
  usage?: UsageFigures;
  /** Also appends every request to this file, one JSON a line. */
  log?: string;
  /** Keeps whole requests in the log. */
  bodies?: boolean;
};

/** Starts the server on 127.0.0.1; port 0 takes a free one. */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const { port = 0, rules = [], usage = defaultUsage, log, bodies = false } = options;
  const requests: LoggedRequest[] = [];
  const nextFault = faultCounter();
  let identifiers = 0;
  const newId = (prefix: string) => `${prefix}_scripted${(++identifiers).toString(36).padStart(6, '0')}`;
  const record = (request: LoggedRequest) => {
    requests.push(request);
    if (log !== undefined) appendFileSync(log, `${JSON.stringify(request)}\n`);
  };

  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://model').pathname;
    const method = request.method ?? 'GET';
    const place = placeOf(path);
    const credential = credentialOf(request.headers);
    const entry: LoggedRequest = { time: Date.now(), method, path, run: place.run, tools: [], turns: [] };
    if (credential !== undefined) entry.credential = credential;
    const text = await bodyOf(request);
    if (text === undefined) return;
    const wire = method === 'POST' ? wires.find((candidate) => candidate.path.test(path)) : undefined;
    if (wire === undefined) {
      record(entry);
      answerOther(method, path, usage, response);
      return;
    }
    const reading = readJson(text === '' ? '{}' : text);
    const body = recordOf(reading.ok ? reading.value : {});
    const view = wire.read(body, path);
    const reply = decide(view, [...rules, healthRule], newId);
    const fault = nextFault(place);
    record({
      ...entry,
      wire: wire.name,
      model: view.model,
      ...(fault && { fault }),
      ...(bodies && { body }),
      tools: view.tools.map(({ name }) => name),
      turns: view.turns,
      reply: reply.call ? `call ${reply.call.tool.name} ${JSON.stringify(reply.call.input)}` : reply.text,
    });
    await answer({ wire, view, reply, fault, response, usage, newId });
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return {
    port: actual,
    url: `http://127.0.0.1:${actual}`,
    requests,
    callsOf: (run) => requests.filter((request) => request.run === run && request.wire !== undefined),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function credentialOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-api-key'] ?? headers['x-goog-api-key'];
  if (typeof key === 'string') return key;
  return headers.authorization?.replace(/^Bearer /i, '');
}

/** What the agent asks; absent when it was ended before it had asked. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch (error) {
    if (request.complete) throw error;
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}
