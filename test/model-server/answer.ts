import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Behaviour, type Fault, retryLater, statusError } from './faults.ts';
import { quotaAnswer } from './quota.ts';
import type { Reply, ReplyContext, RequestView, UsageFigures, Wire } from './view.ts';

type Answering = {
  wire: Wire;
  view: RequestView;
  reply: Reply;
  fault: Fault | undefined;
  response: ServerResponse;
  usage: UsageFigures;
  newId: ReplyContext['newId'];
};

/** Sends the reply in the request's wire format, or the fault in its place. */
export async function answer(answering: Answering): Promise<void> {
  const { wire, view, reply, fault, response, usage, newId } = answering;
  if (fault && 'status' in fault) {
    const headers = retryLater.includes(fault.status) ? { 'retry-after': '1' } : {};
    sendJson(response, fault.status, wire.error(statusError(fault.status, wire.name)), headers);
    return;
  }
  const quota = fault && 'quota' in fault ? quotaAnswer(fault.quota, wire.name, Date.now()) : undefined;
  for (const [name, value] of Object.entries(quota?.headers ?? {})) response.setHeader(name, value);
  if (quota?.body !== undefined) {
    sendJson(response, 429, quota.body);
    return;
  }
  const behaviour = fault && 'behaviour' in fault ? fault.behaviour : undefined;
  if (behaviour === 'hang') return;
  if (behaviour === 'toolong') {
    sendJson(response, wire.tooLong.status, wire.error(wire.tooLong));
    return;
  }
  if (behaviour === 'html') {
    send(response, 200, 'text/html', '<html><body>Please log in.</body></html>');
    return;
  }
  if (reply.delayMs !== undefined) await sleep(reply.delayMs);
  const context: ReplyContext = { model: view.model === '' ? 'scripted' : view.model, usage, newId };
  const spoken = behaviour === 'empty' ? { text: '' } : reply;
  if (view.stream) await sendEvents(response, wire.events(spoken, context), behaviour);
  else await sendWhole(response, JSON.stringify(wire.whole(spoken, context)), behaviour);
}

async function sendWhole(
  response: ServerResponse,
  body: string,
  behaviour: Behaviour | undefined,
): Promise<void> {
  const half = body.slice(0, body.length / 2);
  if (behaviour === 'malformed') {
    send(response, 200, 'application/json', half);
    return;
  }
  if (behaviour === undefined || behaviour === 'empty') {
    send(response, 200, 'application/json', body);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.write(half);
  if (behaviour !== 'hangmid') await cut(response);
}

async function sendEvents(
  response: ServerResponse,
  events: string[],
  behaviour: Behaviour | undefined,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const middle = Math.floor(events.length / 2);
  for (const event of events.slice(0, middle)) response.write(event);
  if (behaviour === 'hangmid') return;
  if (behaviour === 'reset') {
    await cut(response);
    return;
  }
  if (behaviour === 'malformed') {
    response.write('event: message_delta\ndata: {"type":"content_block_delta","ind\n\n');
  }
  const skipped = behaviour === 'malformed' ? middle + 1 : middle;
  const rest = behaviour === 'truncated' ? [] : events.slice(skipped);
  for (const event of rest) response.write(event);
  response.end();
}

/** Breaks the connection after what was written has had time to leave. */
async function cut(response: ServerResponse): Promise<void> {
  await sleep(50);
  response.destroy();
}

/** Token counts, model lists and whatever else agents ask at start. */
export function answerOther(
  method: string,
  path: string,
  usage: UsageFigures,
  response: ServerResponse,
): void {
  const known = method === 'HEAD' || path === '/';
  if (path.endsWith('count_tokens')) sendJson(response, 200, { input_tokens: usage.inputTokens });
  else if (path.endsWith(':countTokens')) sendJson(response, 200, { totalTokens: usage.inputTokens });
  else if (path.endsWith('/models')) sendJson(response, 200, { object: 'list', data: [model], models: [] });
  else sendJson(response, known ? 200 : 404, known ? {} : { error: { message: `no ${method} ${path}` } });
}

const model = { id: 'scripted-model', object: 'model', created: 1, owned_by: 'scripted' };

function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  send(response, status, 'application/json', JSON.stringify(body), headers);
}

function send(response: ServerResponse, status: number, type: string, body: string, headers = {}): void {
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(body);
}
