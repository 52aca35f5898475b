import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type WrittenRun, writeRun, writtenRunId } from '../../../test/support/web-run.ts';
import { thisProcess } from '../../engine/lock.ts';
import type { CommandSpec, CommandTable } from '../../service/command.ts';
import { openProject } from '../../service/project.ts';
import { formsOf, wordsOf } from './forms.ts';
import type { PageFile } from './page-files.ts';
import { headers } from './reply.ts';
import { startWebServer, type WebServer } from './server.ts';

let run: WrittenRun;
let server: WebServer;
const page: PageFile = {
  body: Buffer.from('<p>the page</p>'),
  type: 'text/html',
  tag: '"1"',
  headers: headers.page,
  forAnySite: true,
};

const options = [
  { flags: '--depth <depth>', description: 'choose the size', choices: ['quick', 'wide'] },
  { flags: '--auto', description: 'ask nothing' },
  { flags: '--answers <file>', description: 'read answers' },
  { flags: '--out <dir>', description: 'copy files' },
  { flags: '--step-prefix <prefix>', description: 'prefix names', rare: true as const },
];
const design = { examples: [], options };
const commands = {
  design: { summary: 'Design', load: async () => design },
  cancel: { summary: 'Cancel', load: async () => design },
};

beforeAll(async () => {
  run = writeRun({
    status: 'running',
    process: thisProcess(),
    inputs: { roster: [{ command: ['/secret/agent', '--key', 'hunter2'] }] },
  });
  run.emit({ type: 'run-start', workflow: 'design', title: 'a written run' }, { type: 'note', text: 'two' });
  run.artifact('plan.txt', '# Plan: x\n');
  writeFileSync(
    run.directory.questions,
    JSON.stringify({
      schemaVersion: 1,
      run: writtenRunId,
      questions: [{ id: 'scope', text: 'Which?', options: [{ value: 'api', label: 'API' }] }],
      answers: [],
    }),
  );
  const project = openProject(run.home.project, { env: {}, program: ['node', 'nothing'] });
  server = await startWebServer(
    { project, prices: undefined, commands },
    {
      host: '127.0.0.1',
      port: 0,
      names: ['Build.example', 'localhost'],
      files: new Map([['/', page]]),
      token: 'secret',
    },
  );
});

test.each([
  ['nonsense.invalid', 0, '--host'],
  ['127.0.0.1', undefined, '--port'],
])('where it cannot listen, what is wrong is named: %s:%s → %s', async (host, port, flag) => {
  const project = openProject(run.home.project, { env: {}, program: ['node', 'nothing'] });
  const starting = startWebServer(
    { project, prices: undefined, commands: {} },
    { host, port: port ?? server.port, names: [], files: new Map() },
  );
  await expect(starting).rejects.toMatchObject({ code: 'usage', fix: expect.stringContaining(flag) });
});

afterAll(async () => {
  await server.close();
  run.remove();
});

/** Bytes on a socket, so that no client library tidies the request up. */
function raw(lines: readonly string[], body = ''): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }));
    socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`);
  });
}

const own = () => `Host: 127.0.0.1:${server.port}`;
const bearer = 'Authorization: Bearer secret';

function post(address: string, value: unknown, extra: readonly string[] = []) {
  const body = JSON.stringify(value);
  return raw(
    [
      `POST ${address} HTTP/1.1`,
      own(),
      bearer,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...extra,
    ],
    body,
  );
}

test('a missing or wrong token is refused on every address of the API and on the page', async () => {
  for (const address of [
    '/',
    '/api/runs',
    `/api/runs/${writtenRunId}`,
    `/api/runs/${writtenRunId}/stream`,
    '/api/runs?token=wrong',
    '/nothing',
  ])
    expect((await raw([`GET ${address} HTTP/1.1`, own()])).status, address).toBe(401);
  expect((await raw(['GET /api/runs HTTP/1.1', own(), bearer])).status).toBe(200);
});

test('DNS rebinding: a request to another name is refused, with the right token too', async () => {
  for (const host of [
    'evil.example',
    `evil.example:${server.port}`,
    '127.0.0.1',
    `127.0.0.1:${server.port + 1}`,
  ])
    expect((await raw(['GET /?token=secret HTTP/1.1', `Host: ${host}`])).status, host).toBe(421);
  expect((await raw([`GET http://evil.example/api/runs HTTP/1.1`, own(), bearer])).status).toBe(400);
  expect((await raw(['GET //evil.example/api/runs HTTP/1.1', own(), bearer])).status).toBe(400);
});

test('behind a proxy with TLS the page is opened, keeps its token and steers by the name of the proxy', async () => {
  const forwarded = ['Host: build.example', 'X-Forwarded-Proto: https'];
  const page = await raw(['GET /?token=secret HTTP/1.1', ...forwarded]);
  expect(page.status).toBe(200);
  const [, cookie, rest] = /Set-Cookie: (charrette-\d+=secret); (.*)\r/.exec(page.text) ?? [];
  expect(rest).toBe('HttpOnly; SameSite=Strict; Path=/; Secure');
  const address = `/api/runs/${writtenRunId}/answers`;
  const send = (host: string, origin: string) =>
    raw(
      [
        `POST ${address} HTTP/1.1`,
        host,
        `Cookie: ${cookie}`,
        `Origin: ${origin}`,
        'Sec-Fetch-Site: same-origin',
        'Content-Type: application/json',
        'Content-Length: 2',
      ],
      '{}',
    );
  // 400: let in, and then the body is read.
  for (const host of ['Host: build.example', 'Host: build.example:8443', own()]) {
    expect((await send(host, 'https://build.example')).status, host).toBe(400);
    expect((await send(host, 'http://build.example')).status, host).toBe(403);
    expect((await send(host, 'https://evil.example')).status, host).toBe(403);
  }
  expect((await send('Host: evil.example', 'https://build.example')).status).toBe(421);
  // What was allowed by mistake: every other program of this machine is called so.
  expect((await send('Host: localhost:1', 'https://build.example')).status).toBe(421);
  expect((await send(own(), 'https://localhost')).status).toBe(403);
});

test('other origins can neither read nor write', async () => {
  const strange = 'Origin: http://evil.example';
  expect((await raw(['GET /api/runs HTTP/1.1', own(), bearer, strange])).status).toBe(403);
  expect((await raw(['GET /api/runs HTTP/1.1', own(), bearer, 'Sec-Fetch-Site: cross-site'])).status).toBe(
    403,
  );
  const before = readdirSync(run.directory.inbox).length;
  const address = `/api/runs/${writtenRunId}/answers`;
  expect((await post(address, { answers: { scope: 'api' } }, [strange])).status).toBe(403);
  const form = 'answers=1';
  const lines = ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${form.length}`];
  expect((await raw([`POST ${address} HTTP/1.1`, own(), bearer, ...lines], form)).status).toBe(415);
  expect(readdirSync(run.directory.inbox)).toHaveLength(before);
});

test('what is refused below /api is the document of an error, whatever the reason; the page says a sentence', async () => {
  const api = 'GET /api/runs HTTP/1.1';
  const answers = [
    await raw([api, own()]),
    await raw([api, 'Host: evil.example', bearer]),
    await raw([api, own(), bearer, 'Origin: http://evil.example']),
    await raw(['POST /api/runs/x/answers HTTP/1.1', own(), bearer, 'Content-Length: 0']),
  ];
  expect(answers.map(({ status }) => status)).toEqual([401, 421, 403, 415]);
  for (const { text } of answers) {
    expect(text).toContain('Content-Type: application/json; charset=utf-8');
    const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
    expect(body).toEqual({
      error: { code: 'request-refused', message: expect.any(String), fix: expect.any(String) },
    });
  }
  const page = await raw(['GET / HTTP/1.1', own()]);
  expect(page.text).toContain('Content-Type: text/plain');
});

test('the page comes with a strict policy and hands the token over as a cookie of this site only', async () => {
  const { text } = await raw(['GET /?token=secret HTTP/1.1', own()]);
  expect(text).toContain('the page');
  expect(text).toMatch(/Set-Cookie: charrette-\d+=secret; HttpOnly; SameSite=Strict; Path=\//);
  const policy = /Content-Security-Policy: (.*)\r/.exec(text)?.[1] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(text).toContain('Referrer-Policy: no-referrer');
  expect(text).not.toMatch(/Access-Control-Allow/i);
});

test('no address leads out of the artifacts of a run', async () => {
  const secret = path.join(run.home.project, 'secret.txt');
  writeFileSync(secret, 'top secret');
  symlinkSync(secret, path.join(run.directory.artifacts, 'link.txt'));
  for (const name of [
    '../run.json',
    '..%2frun.json',
    '..%2f..%2f..%2f..%2fsecret.txt',
    '%2e%2e%2frun.json',
    '..%5crun.json',
    '%00plan.txt',
    encodeURIComponent(secret),
    'link.txt',
    '%',
    '..;/run.json',
  ]) {
    const { status, text } = await raw([
      `GET /api/runs/${writtenRunId}/artifacts/${name} HTTP/1.1`,
      own(),
      bearer,
    ]);
    expect([400, 403, 404], name).toContain(status);
    expect(text, name).not.toMatch(/top secret|schemaVersion/);
    const picture = await raw([`GET /api/runs/${writtenRunId}/pictures/${name} HTTP/1.1`, own(), bearer]);
    expect([400, 403, 404], name).toContain(picture.status);
  }
  for (const name of ['..', '%2e%2e', '..%2f..', 'x%2fy', 'RUN', 'a'.repeat(300)])
    expect((await raw([`GET /api/runs/${name} HTTP/1.1`, own(), bearer])).status, name).toBe(404);
  for (const lane of ['..%2f..%2frun.json', '..', '%2e%2e%2fx-1'])
    expect(
      (await raw([`GET /api/runs/${writtenRunId}/lanes/${lane} HTTP/1.1`, own(), bearer])).status,
      lane,
    ).toBe(404);
  const good = await raw([`GET /api/runs/${writtenRunId}/artifacts/plan.txt HTTP/1.1`, own(), bearer]);
  expect(good.status).toBe(200);
  expect(good.text).toContain('text/plain');
  expect(good.text).toContain('sandbox');
});

test('what a snapshot says of a run leaves its command lines out', async () => {
  const { text } = await raw([`GET /api/runs/${writtenRunId} HTTP/1.1`, own(), bearer]);
  expect(text).toContain('a written run');
  expect(text).not.toContain('hunter2');
});

test('a stream continues where the client was, by Last-Event-ID or by `after`', async () => {
  let news = 0;
  const read = async (lines: readonly string[]) => {
    const socket = connect(server.port, '127.0.0.1');
    let got = '';
    let broken: Error | undefined;
    socket.on('data', (chunk) => {
      got += chunk;
    });
    socket.on('error', (error) => {
      broken = error;
    });
    const holds = async (text: string) => {
      while (!got.includes(text)) {
        if (broken !== undefined) throw broken;
        await sleep(20);
      }
    };
    socket.write(
      `${[`GET /api/runs/${writtenRunId}/stream${lines[0]} HTTP/1.1`, own(), bearer, ...lines.slice(1)].join('\r\n')}\r\n\r\n`,
    );
    await holds('\r\n\r\n');
    news += 1;
    run.emit({ type: 'note', text: `news ${news};` });
    await holds(`news ${news};`);
    socket.destroy();
    return [...got.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
  };
  expect(await read(['?after=1'])).toEqual([2, 3]);
  expect(await read([''])).toEqual([1, 2, 3, 4]);
  expect(await read(['?after=1', 'Last-Event-ID: 3'])).toEqual([4, 5]);
});

const streamOf = (run: string) =>
  [`GET /api/runs/${run}/stream HTTP/1.1`, own(), bearer, '', ''].join('\r\n');

/** A stream as far as it has come when the text is in it. */
function readUntil(run: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => socket.write(streamOf(run)));
    let got = '';
    socket.on('data', (chunk) => {
      got += chunk;
      if (!got.includes(text)) return;
      socket.destroy();
      resolve(got);
    });
    socket.on('error', reject);
    socket.on('end', () => reject(new Error(got)));
  });
}

test('unreadable events are reported, and every other page continues', async () => {
  const broken = writeRun({ run: '20260101-000000-broken-00000002' }, run.home.project);
  const { events, id } = broken.directory;
  rmSync(events);
  mkdirSync(events);
  expect(await readUntil(id, '"unreadable"')).toContain('event: state');
  expect((await raw(['GET /api/runs HTTP/1.1', own(), bearer])).status).toBe(200);
  // Repaired, it is read again.
  rmSync(events, { recursive: true });
  broken.emit({ type: 'note', text: 'repaired' });
  expect(await readUntil(id, 'repaired')).toContain('id: 1');
  rmSync(broken.directory.root, { recursive: true });
});

test('streams whose clients left before they began, or wait behind another, are released', async () => {
  const leave = (requests: string, when: 'at once' | 'answered') =>
    new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () =>
        socket.write(requests, () => {
          if (when === 'at once') setImmediate(() => socket.resetAndDestroy());
        }),
      );
      socket.once('data', () => setTimeout(() => socket.resetAndDestroy(), 10));
      socket.on('error', () => {});
      socket.on('close', () => resolve());
    });
  for (let count = 0; count < 700; count += 1) await leave(streamOf(writtenRunId), 'at once');
  expect(await readUntil(writtenRunId, 'retry')).toContain('200 OK');
  // Of several requests on one connection only the first gets an answer.
  for (let count = 0; count < 70; count += 1) await leave(streamOf(writtenRunId).repeat(9), 'answered');
  expect(await readUntil(writtenRunId, 'retry')).toContain('200 OK');
});

test('an answer is left in the inbox, where `charrette answer` leaves it; a wrong one is refused', async () => {
  const address = `/api/runs/${writtenRunId}/answers`;
  expect((await post(address, { answers: { scope: 'everything' } })).status).toBe(400);
  expect((await post(address, { answers: { never: 'asked' } })).status).toBe(400);
  expect((await post(address, { answers: { scope: 3 } })).status).toBe(400);
  expect((await post(address, {})).status).toBe(400);
  expect(readdirSync(run.directory.inbox)).toEqual([]);
  expect((await post(address, { answers: { scope: 'api' } })).status).toBe(200);
  const [file = ''] = readdirSync(run.directory.inbox);
  const left: unknown = JSON.parse(readFileSync(path.join(run.directory.inbox, file), 'utf8'));
  expect(left).toMatchObject({
    type: 'answer',
    answers: [{ question: 'scope', value: 'api', source: 'person' }],
  });
});

test('a second answer that would change nothing is refused; the same one again is fine and leaves nothing', async () => {
  const address = `/api/runs/${writtenRunId}/answers`;
  const questions = [{ id: 'q', text: 'Sure?' }];
  const answers = [{ question: 'q', value: 'yes', source: 'person' }];
  writeFileSync(
    run.directory.questions,
    JSON.stringify({ schemaVersion: 1, run: writtenRunId, questions, answers }),
  );
  const before = readdirSync(run.directory.inbox).length;
  const refused = await post(address, { answers: { q: 'no' } });
  expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('q was answered: yes') });
  expect((await post(address, { answers: { q: 'yes' } })).status).toBe(200);
  expect(readdirSync(run.directory.inbox)).toHaveLength(before);
});

test('a run that cannot continue says why, and what to do instead', async () => {
  const error = {
    code: 'code-version-gone',
    message: 'It was started by workflow code 1.',
    fix: 'Start again.',
  };
  const refusing = `process.stdout.write(${JSON.stringify(JSON.stringify({ error }))})`;
  const program = [process.execPath, '--eval', refusing, '--'];
  const project = openProject(run.home.project, { env: {}, program });
  const { port, token, close } = await startWebServer(
    { project, prices: undefined, commands: {} },
    { host: '127.0.0.1', port: 0, names: [], files: new Map() },
  );
  onTestFinished(close);
  const old = writeRun({ run: '20260103-000000-old-00000003', status: 'stopped' }, run.home.project);
  const response = await fetch(`http://127.0.0.1:${port}/api/runs/${old.directory.id}/resume`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  });
  expect(await response.json()).toEqual({ error });
});

test('what is too much or broken is refused, and the server continues', async () => {
  const large = { answers: { scope: 'x'.repeat(300_000) } };
  expect((await post(`/api/runs/${writtenRunId}/answers`, large)).status).toBe(400);
  const lines = [
    `POST /api/runs/${writtenRunId}/answers HTTP/1.1`,
    own(),
    bearer,
    'Content-Type: application/json',
  ];
  expect((await raw([...lines, 'Content-Length: 3'], '{"a')).status).toBe(400);
  expect((await raw(['BREW /api/runs HTTP/1.1', own(), bearer])).status).toBe(400);
  expect((await raw(['DELETE /api/runs HTTP/1.1', own(), bearer])).status).toBe(404);
  expect((await raw(['GET /api/runs HTTP/1.1', own(), bearer])).status).toBe(200);
});

test('the list of runs has the questions of one that waits, and step and agents of one that works', async () => {
  const question = { id: 'scope', text: 'Which parts?', options: [{ value: 'api', label: 'The API' }] };
  const paused = writeRun({ run: '20260107-000000-paused-00000007', status: 'paused' }, run.home.project);
  writeFileSync(paused.directory.questions, JSON.stringify({ questions: [question], answers: [] }));
  const busy = writeRun(
    { run: '20260108-000000-busy-00000008', status: 'running', process: thisProcess() },
    run.home.project,
  );
  busy.emit(
    { type: 'run-start', workflow: 'design', title: 'x' },
    { type: 'phase-start', phase: '2a', line: '🔶 2a: sketches' },
    { type: 'lane-queue', lane: 'a', task: 'sketch', seat: 'a', label: 'A', phase: '2a' },
    { type: 'lane-start', lane: 'a', agent: 'ada', attempt: 1 },
    { type: 'lane-queue', lane: 'b', task: 'sketch', seat: 'b', label: 'B', phase: '2a' },
  );
  const { text } = await raw(['GET /api/runs HTTP/1.1', own(), bearer]);
  const { runs } = JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) as { runs: { run: string }[] };
  const listed = (id: string) => runs.find((each) => each.run === id);
  expect(listed(paused.directory.id)).toMatchObject({ questions: [question] });
  expect(listed(busy.directory.id)).toMatchObject({
    questions: [],
    step: { phase: '2a' },
    agents: ['ada'],
  });
});

test('a form has the everyday flags of a command, and none that names files of the server', async () => {
  const { text } = await raw(['GET /api/forms HTTP/1.1', own(), bearer]);
  expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toEqual([
    {
      command: 'design',
      summary: 'Design',
      text: '',
      fields: [
        {
          flag: '--depth',
          kind: 'choice',
          description: 'choose the size',
          value: 'depth',
          choices: ['quick', 'wide'],
        },
        { flag: '--auto', kind: 'switch', description: 'ask nothing' },
      ],
    },
  ]);
});

test('a start names only a command and flags of its form', async () => {
  for (const body of [
    {},
    { command: 'cancel', text: 'x' },
    { command: 'design' },
    { command: 'design', text: 'x'.repeat(20_001) },
    { command: 'design', text: 'x\0' },
    { command: 'design', text: 'x', flags: { '--out': '/tmp' } },
    { command: 'design', text: 'x', flags: { '--step-prefix': 'x' } },
    { command: 'design', text: 'x', flags: { '--auto': 'yes' } },
    { command: 'design', text: 'x', flags: { '--depth': true } },
  ])
    expect((await post('/api/runs', body)).status, JSON.stringify(body).slice(0, 80)).toBe(400);
});

test('W-155: the form of run lists workflow files with their check, and starts only a usable one', async () => {
  const folder = path.join(run.home.project, '.charrette', 'workflows');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'bad.js'), 'return 1');
  writeFileSync(path.join(folder, 'good.js'), "export const meta = { name: 'good', description: 'Looks' };");
  const project = openProject(run.home.project, { env: {}, program: ['node', 'nothing'] });
  const spec: CommandSpec = {
    examples: [],
    arguments: [
      ['[workflow]', 'a file'],
      ['[words...]', 'the argument'],
    ],
    options: [{ flags: '--args <json>', description: 'a value' }],
    run: async () => ({ exit: 0, json: {} }),
  };
  const table: CommandTable = { run: { summary: 'Run', load: async () => spec } };
  const [form] = await formsOf(project, table);
  const [bad, good] = form?.files ?? [];
  expect(bad).toMatchObject({ name: 'bad', usable: false });
  expect(bad?.description).toContain('The first statement');
  expect(good).toMatchObject({ name: 'good', description: 'Looks', usable: true, allowed: false });
  expect(form?.text).toBe('the argument');
  const start = (file: unknown, flags = {}) =>
    wordsOf(project, table, { command: 'run', text: '', file, flags });
  expect(await start(good?.file, { '--args': '{}' })).toEqual([
    'run',
    '--detach',
    '--args={}',
    '--',
    good?.file,
  ]);
  for (const file of [bad?.file, '/etc/passwd', undefined])
    await expect(start(file)).rejects.toMatchObject({ code: 'usage' });
  await expect(start(good?.file, { '--args': '@/etc/passwd' })).rejects.toMatchObject({ code: 'usage' });
});

test('what is sent becomes arguments; the error of the command is the answer', async () => {
  const echo = path.join(run.home.project, 'echo.mjs');
  writeFileSync(
    echo,
    'console.log(JSON.stringify({ error: { code: "usage", message: process.argv.slice(2).join("|") } })); process.exit(2)',
  );
  const project = openProject(run.home.project, { env: {}, program: [process.execPath, echo] });
  const { port, token, close } = await startWebServer(
    { project, prices: undefined, commands },
    { host: '127.0.0.1', port: 0, names: [], files: new Map() },
  );
  const response = await fetch(`http://127.0.0.1:${port}/api/runs`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({
      command: 'design',
      text: '--out; rm -rf /',
      flags: { '--depth': '--quick', '--auto': true },
    }),
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('design|--detach|--depth=--quick|--auto|--|--out; rm -rf /');
  await close();
});
