import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  canaries,
  expectFound,
  expectNone,
  givenEnvironment,
  leakyAgent,
  plantKeys,
  startGateway,
  startListener,
  textsBelow,
} from '../support/canaries.ts';
import { systemPath } from '../support/optional-programs.ts';
import { charrette, type Ended, makeProject, program, runsOf } from '../support/program.ts';
import { startServe } from '../support/web-server.ts';

describe('keys in environment, files, commands, addresses and agents’ answers', () => {
  let project: string;
  let calls: string;
  let config: string;
  let run: Ended;
  let id: string;
  let traced: string[];
  const closing: (() => void)[] = [];
  afterAll(() => {
    for (const close of closing) close();
  });
  const also = (words: string[]) => charrette(words, { cwd: project, env: givenEnvironment });

  beforeAll(async () => {
    ({ project, calls } = await makeProject());
    const gateway = await startGateway();
    closing.push(gateway.close);
    const collector = await startListener(() => ({ status: 200, body: {} }));
    closing.push(collector.close);
    const agent = leakyAgent(calls, ['0', 'none', 'plain'], gateway.address);
    const model = { protocol: 'model', model: 'm', env: { CHARRETTE_MODEL_API_KEY: canaries.gateway } };
    config = plantKeys(project, {
      echoing: { ...model, baseUrl: `http://${gateway.address}/v1` },
      one: { ...agent, family: 'one' },
      two: { ...agent, family: 'two' },
    });
    run = await charrette(['design', '--auto', '--yes', '--verbose', 'let customers cancel an order'], {
      cwd: project,
      env: {
        ...givenEnvironment,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://${collector.address}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_HEADERS: `x-key=${canaries.collector}`,
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      },
    });
    expect(run.code, run.stderr).toBe(0);
    [id = ''] = runsOf(project);
    traced = collector.heard;
  }, 240_000);

  test('reach neither the record of the run nor its most verbose output', () => {
    const record = textsBelow(path.join(project, '.charrette'), [config]);
    const streams = Object.keys(record).filter((file) => file.endsWith('stderr.txt'));
    // The agent did answer; the keys it received and found are redacted, as is the gateway's message.
    expectFound(calls);
    expect(streams.length).toBeGreaterThan(4);
    const stream = record[streams[0] ?? ''];
    expect(stream).toContain('"SHOP_API_KEY":"[secret]"');
    expect(stream).toContain('"HTTP_PROXY":"http://me:[secret]@127.0.0.1:1"');
    expect(stream).toContain('--api-key [secret]');
    expect(stream).toContain('SHOP_PASSWORD=[secret]');
    const texts = Object.values(record);
    expect(texts.some((text) => text.includes('you sent Bearer [secret]'))).toBe(true);
    // Its text reached prompts of other agents and what people read.
    const repeated = Object.entries(record).filter(([, text]) =>
      text.includes('I found SHOP_PASSWORD=[secret]'),
    );
    expect(repeated.some(([file]) => file.endsWith('prompt.md'))).toBe(true);
    expect(repeated.some(([file]) => file.includes('/artifacts/'))).toBe(true);
    expectNone({ ...record, stdout: run.stdout, stderr: run.stderr });
  });

  test('reach no report, no list and no export of the run', async () => {
    const archive = path.join(project, '.home', 'run.tar.gz');
    const html = path.join(project, '.home', 'report.html');
    const commands = [
      ['report', id, '--md'],
      ['report', id, '--html', '--out', html],
      ['show', id, '--json'],
      ['show', id, '--verbose'],
      ['costs', id, '--json'],
      ['watch', id, '--output', 'stream-json'],
      ['runs', '--json'],
      ['config', '--json'],
      ['runs', 'export', id, archive],
      ['doctor', '--json'],
    ];
    const texts: Record<string, string> = {};
    for (const words of commands) {
      const ended = await also(words);
      expect(ended.stdout, `${words.join(' ')}: ${ended.stderr}`).not.toBe('');
      texts[words.join(' ')] = ended.stdout + ended.stderr;
    }
    texts['the archive'] = gunzipSync(readFileSync(archive)).toString('latin1');
    texts['the page'] = readFileSync(html, 'utf8');
    for (const name of ['the archive', 'the page'])
      expect(texts[name], name).toContain('I found SHOP_PASSWORD');
    expectNone(texts);
  });

  test('reach no answer of the page', async () => {
    const { url, origin, live } = await startServe(project, givenEnvironment);
    onTestFinished(async () => {
      live.kill('SIGTERM');
      await live.ended;
    });
    const headers = { Authorization: `Bearer ${new URL(url).searchParams.get('token')}` };
    const get = async (address: string) => {
      const reply = await fetch(`${origin}/api/runs${address}`, { headers });
      expect(reply.status, address).toBe(200);
      return reply.text();
    };
    const whole = await get(`/${id}`);
    const { artifacts } = JSON.parse(whole) as { artifacts: { name: string }[] };
    const events = await get(`/${id}/events`);
    const lanes = [...new Set([...events.matchAll(/"lane":"([^"]+)"/g)].map(([, lane = '']) => lane))];
    expect(artifacts.length).toBeGreaterThan(5);
    expect(lanes.length).toBeGreaterThan(5);
    const texts: Record<string, string> = { runs: await get(''), whole, events };
    for (const { name } of artifacts)
      if (!name.includes('/')) texts[name] = await get(`/${id}/artifacts/${encodeURIComponent(name)}`);
    for (const lane of lanes) texts[lane] = await get(`/${id}/lanes/${encodeURIComponent(lane)}`);
    expect(Object.values(texts).some((text) => text.includes('I found SHOP_PASSWORD=[secret]'))).toBe(true);
    expectNone({ ...texts, stderr: live.stderr() });
  });

  test('reach no resource and no tool of the MCP server', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp'],
      cwd: project,
      env: {
        PATH: systemPath,
        HOME: path.join(project, '.home'),
        ...givenEnvironment,
      },
      stderr: 'pipe',
    });
    const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: {} });
    await client.connect(transport);
    onTestFinished(() => client.close());
    const { resources } = await client.listResources();
    expect(resources.length).toBeGreaterThan(5);
    const texts: Record<string, string> = { resources: JSON.stringify(resources) };
    for (const { uri } of resources) texts[uri] = JSON.stringify(await client.readResource({ uri }));
    for (const name of ['run_list', 'run_inspect'])
      texts[name] = JSON.stringify(
        await client.callTool({ name, arguments: name === 'run_list' ? {} : { run: id } }),
      );
    expect(Object.values(texts).some((text) => text.includes('I found SHOP_PASSWORD=[secret]'))).toBe(true);
    expectNone(texts);
  });

  test('reach no collector of traces', () => {
    expect(traced.join('')).toContain('let customers cancel an order');
    expectNone({ traces: traced.join('') });
  });
});
