import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { optionalProgram } from '../../../test/support/optional-programs.ts';
import { thisWorld, type World } from '../../agents/settings.ts';
import { type Host, hostCommand, startHost } from './host.ts';
import type { FromHost } from './messages.ts';

let host: Host | undefined;
afterEach(() => host?.close());

function start(body: string, args?: unknown): Host {
  host = startHost(thisWorld(), AbortSignal.timeout(60_000));
  const script = { file: 'x.js', body, form: 'bare' as const };
  host.send({ type: 'start', script, args, budget: null, seats: [], nonceSeed: 'n' });
  return host;
}

/** Everything up to the first rest or end; each call is answered with its prompt. */
async function untilEnd(running: Host): Promise<Extract<FromHost, { type: 'end' }>> {
  let waiting: string[] = [];
  for (;;) {
    const message = await running.next();
    if (message.type === 'end') return message;
    if (message.type === 'call') waiting.push(message.id);
    if (message.type !== 'rest') continue;
    const [id] = waiting;
    waiting = waiting.slice(1);
    if (id !== undefined) running.send({ type: 'answer', id, ok: true, value: id, spent: 0 });
  }
}

const result = async (body: string) => untilEnd(start(body));

test('W-017 W-018 W-103: calls are named by their place, whatever the order of answers', async () => {
  const body =
    "return [await parallel([() => agent('a'), () => agent('b')]), await pipeline([1, 2], (x) => agent('c' + x), (p) => agent('d' + p))]";
  expect((await result(body)).value).toEqual([
    ['1.1-1', '1.2-1'],
    ['2.1-2', '2.2-2'],
  ]);
});

test('W-017: a function that throws gives null, and promises are refused', async () => {
  expect((await result("return parallel([() => { throw new Error('x') }, () => 2])")).value).toEqual([
    null,
    2,
  ]);
  expect(await result("return parallel([agent('a')])")).toMatchObject({ ok: false, error: { line: 1 } });
});

test('W-018: a stage that throws skips the rest of its item', async () => {
  const body =
    "return pipeline([1, 2], (x) => { if (x === 1) throw new Error('no'); return x }, (p) => p * 10)";
  expect((await result(body)).value).toEqual([null, 20]);
});

test('a body that does not compile ends with its error', async () => {
  expect(await result('const a = 1; const a = 2;')).toMatchObject({ ok: false });
});

test('W-011: a label or phase that is too long is cut', async () => {
  const running = start("return agent('a', { label: 'l'.repeat(500), phase: 7 })");
  const call = await running.next();
  expect(call).toMatchObject({ type: 'call', options: { label: 'l'.repeat(200), phase: '7' } });
});

test('W-040: a stage that returned null hands null to the next one, with item and index', async () => {
  const body = 'return pipeline([5], () => null, (previous, item, index) => [previous, item, index])';
  expect((await result(body)).value).toEqual([[null, 5, 0]]);
});

test('W-042: an unknown option is named in the log and ignored', async () => {
  const running = start("return agent('a', { adapter: 'x' })");
  expect(await running.next()).toMatchObject({ type: 'log', text: expect.stringContaining('"adapter"') });
  expect(await running.next()).toMatchObject({ type: 'call', options: {} });
});

test.each([[{ a: [1] }], ['{"a":1}'], [undefined]])(
  'W-021 W-045: args arrives as the value it is: %j',
  async (given) => {
    const ended = await untilEnd(start('return [typeof args, args ?? null]', given));
    expect(ended.value).toEqual([typeof given, given ?? null]);
  },
);

test('W-110: a second level of workflow() throws', async () => {
  const running = start("return workflow('inner')");
  const asked = await running.next();
  expect(asked).toMatchObject({ type: 'child', target: 'inner' });
  const script = { file: 'inner.js', body: "return workflow('third')", form: 'bare' as const };
  if (asked.type === 'child') running.send({ type: 'script', id: asked.id, script, spent: 0 });
  expect((await untilEnd(running)).error?.message).toContain('cannot start a third');
});

test('W-006 W-047: time and chance throw with what to do; a given date works', async () => {
  for (const body of ['return Date.now()', 'return new Date()', 'return Math.random()', 'return Date()'])
    expect((await result(body)).error?.message).toContain('--arg now=');
  expect((await result("return new Date('2026-01-02').getUTCDate()")).value).toBe(2);
});

test('W-153: what is not JSON is named by its place, and an error by its line and column', async () => {
  expect((await result('return { a: [1, () => 2] }')).error?.message).toContain('result.a[1] is a function');
  expect((await result('const a = {}; a.a = a; return a')).error?.message).toContain('contains itself');
  expect((await result("const x = 1\nthrow new Error('here')")).error).toMatchObject({
    message: 'here',
    line: 2,
    column: 7,
  });
  expect((await result('')).value).toBeNull();
});

test.each([
  ["return agent('a', { isolation: 'remote' })", 'not available in this build'],
  ['return agent(1)', 'takes a prompt'],
  ["return agent('a', { effort: 'huge' })", 'effort: '],
  ['return parallel(new Array(5000).fill(() => 1))', 'at most 4096'],
])('W-016 W-019: refuses %s', async (body, words) => {
  expect((await result(body)).error?.message).toContain(words);
});

test('W-143: a script that leaves its context has no files, no programs and no code from text', async () => {
  const out = "const p = log.constructor('return process')();";
  expect((await result(`${out} return 1`)).ok).toBe(false);
  const leaving = "const F = (async () => {}).constructor; return F('return 1')()";
  expect((await result(leaving)).ok).toBe(false);
  for (const body of [
    'return URL.constructor.constructor("return process")().env',
    'return eval("1 + 1")',
    'return typeof process + typeof require + typeof Buffer + typeof fetch + typeof setTimeout',
  ]) {
    const ended = await result(body);
    expect(ended.ok === false || ended.value === 'undefined'.repeat(5), body).toBe(true);
  }
});

describe.skipIf(optionalProgram('bubblewrap') === undefined)('with bubblewrap', () => {
  test('W-143: the process of a script does not reach a listener that it reaches without bubblewrap', async () => {
    const server = createServer((socket) => socket.end('heard')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const probe = `require('node:net').connect(${port}, '127.0.0.1').on('data', (t) => process.stdout.write(t)).on('error', () => process.stdout.write('refused'))`;
    const heard = async (world: World) => {
      const [program = '', ...args] = hostCommand(world).argv;
      const { stdout } = await promisify(execFile)(program, [...args.slice(0, -1), '-e', probe], { env: {} });
      return stdout;
    };
    expect(await heard({ ...thisWorld(), jail: 'off' })).toBe('heard');
    expect(await heard(thisWorld())).toBe('refused');
    server.close();
  });
});

test('W-144: a flood of messages ends the run', async () => {
  const flooding = start("for (let i = 0; i < 60000; i += 1) phase('p' + i); return 1");
  await expect(
    (async () => {
      for (;;) await flooding.next();
    })(),
  ).rejects.toMatchObject({ code: 'workflow-host' });
});

test('W-172: of 10,050 lines of log 10,000 are told; a prompt of more than 1 MiB ends the run', async () => {
  const talking = start("for (let i = 0; i < 10050; i += 1) log('line ' + i); return 1");
  const told: string[] = [];
  for (let message = await talking.next(); message.type !== 'end'; message = await talking.next())
    if (message.type === 'log') told.push(message.text);
  expect([told.length, told.at(-1)]).toEqual([10_000, 'line 9999']);
  const long = start("return agent('x'.repeat(1024 * 1024 + 1))");
  await expect(long.next()).rejects.toMatchObject({ code: 'workflow-host' });
});

test('a script that uses up its memory ends with a named error', async () => {
  const hungry = start("const all = []; for (;;) all.push(new Array(100000).fill('x' + all.length))");
  await expect(hungry.next()).rejects.toMatchObject({ code: 'workflow-host' });
}, 60_000);

test('prototype pollution stays in the script', async () => {
  const body =
    "Object.prototype.schema = { type: 'object' }; Array.prototype.map = () => []; return agent('a')";
  expect((await result(body)).ok).toBe(true);
});

test('W-022 W-044: at its budget further calls throw, and a fan-out does not turn that into null', async () => {
  host = startHost(thisWorld(), AbortSignal.timeout(60_000));
  const body = "await agent('one'); return parallel([() => agent('two')])";
  const script = { file: 'x.js', body, form: 'bare' as const };
  host.send({ type: 'start', script, budget: 10, seats: [], nonceSeed: 'n' });
  for (;;) {
    const message = await host.next();
    if (message.type === 'call')
      host.send({ type: 'answer', id: message.id, ok: true, value: 'a', spent: 12 });
    if (message.type !== 'end') continue;
    expect(message).toMatchObject({ ok: false, error: { code: 'limit' } });
    return;
  }
});
