import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { charrette, makeProject } from '../support/program.ts';

type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  status: { code?: number };
};
type Export = {
  resourceSpans: { resource: { attributes: Span['attributes'] }; scopeSpans: { spans: Span[] }[] }[];
};

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A collector on loopback that keeps what it receives. */
async function openCollector(status = 200) {
  const received: { path: string; type: string; key: string; body: Buffer }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { 'content-type': type = '', 'x-key': key = '' } = request.headers;
      received.push({ path: request.url ?? '', type, key: String(key), body: Buffer.concat(chunks) });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

const attributesOf = ({ attributes }: { attributes: Span['attributes'] }) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

test('a design arrives at a collector as one trace: run, phases, lanes and agent calls', async () => {
  const collector = await openCollector();
  const { project } = await makeProject();
  const { code, stderr } = await charrette(['design', '--auto', '--yes', '--quick', 'limit requests'], {
    cwd: project,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=abc',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      TRACEPARENT: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    },
  });
  expect(code, stderr).toBe(0);
  expect(stderr).not.toContain('exported');
  expect(new Set(collector.received.map(({ path, type, key }) => `${path} ${type} ${key}`))).toEqual(
    new Set(['/v1/traces application/json abc']),
  );
  const exports = collector.received.map(({ body }) => JSON.parse(body.toString()) as Export);
  const groups = exports.flatMap(({ resourceSpans }) => resourceSpans);
  expect(attributesOf(groups[0]?.resource ?? { attributes: [] })).toMatchObject({
    'service.name': 'charrette',
    'deployment.environment': 'test',
  });
  const spans = groups.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  expect(byId.size).toBe(spans.length);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set(['a'.repeat(32)]));
  const root = spans.find(({ name }) => name === 'invoke_workflow design');
  expect(root?.parentSpanId).toBe('b'.repeat(16));
  const calls = spans.filter(({ name }) => name.startsWith('invoke_agent '));
  expect(calls.length).toBeGreaterThan(5);
  for (const call of calls) {
    const lane = byId.get(call.parentSpanId ?? '');
    const phase = byId.get(lane?.parentSpanId ?? '');
    expect([lane?.name, phase?.name]).toEqual([
      expect.stringMatching(/^lane /),
      expect.stringMatching(/^phase /),
    ]);
    expect(phase?.parentSpanId).toBe(root?.spanId);
    expect(attributesOf(call)).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'charrette.usage.basis': 'unknown',
    });
  }
});

test('protobuf is the default; a refusing collector is reported and changes nothing', async () => {
  const collector = await openCollector(400);
  const { project } = await makeProject();
  const { code, stdout, stderr } = await charrette(
    ['design', '--auto', '--solo', '--json', '--agents', 'static', 'limit requests'],
    {
      cwd: project,
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint },
    },
  );
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'done' });
  expect(stderr).toMatch(/^Some traces could not be exported: /m);
  const [first] = collector.received;
  expect(first).toMatchObject({ path: '/v1/traces', type: 'application/x-protobuf' });
  expect(Buffer.concat(collector.received.map(({ body }) => body)).includes('invoke_agent static')).toBe(
    true,
  );
});

const alone = ['design', '--auto', '--solo', '--json', '--agents', 'static', 'limit requests'];

/** An address without a listener, or with one that never answers. */
async function openSilence(accepts: boolean): Promise<string> {
  const server = createSocketServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  if (accepts) closing.push(() => server.close());
  else await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

test.each([
  ['refuses connections', false],
  ['never answers', true],
])('a collector that %s costs seconds and one line', async (_what, accepts) => {
  const { project } = await makeProject();
  const { code, stdout, stderr } = await charrette(alone, {
    cwd: project,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: await openSilence(accepts) },
  });
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'done' });
  expect(stderr.match(/^.*could not be exported.*$/gm)).toEqual([
    expect.stringMatching(/^Some traces could not be exported: ./),
  ]);
});

test('spans for the eye are written to stderr; the answer stays one document', async () => {
  const { project } = await makeProject();
  const { code, stdout, stderr } = await charrette(alone, {
    cwd: project,
    env: { OTEL_TRACES_EXPORTER: 'console' },
  });
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'done' });
  for (const name of ['invoke_agent static', 'phase 2a', 'invoke_workflow design'])
    expect(stderr).toContain(`name: '${name}'`);
});
