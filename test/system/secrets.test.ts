import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { charrette, makeProject } from '../support/program.ts';

const canaries = {
  given: 'canary-given-to-the-agent-7f3a',
  cloud: 'canary-of-a-cloud-2b8e',
  flag: 'canary-behind-a-flag-e41d',
  gateway: 'canary-of-a-gateway-0a6c',
  address: 'canary-in-an-address-38f7',
  proxy: 'canary-of-a-proxy-d5b2',
  headers: 'canary-in-headers-66c9',
  environment: 'canary-of-the-environment-91bc',
  file: 'canary-in-an-ignored-file-55de',
  home: 'canary-in-the-home-folder-c2a8',
};

test('keys in environment, files, commands, addresses and an agent’s own words reach neither record, prompts, report nor output', async () => {
  const { project, calls } = await makeProject();
  const gateway = await startGateway();
  const leaky = ['node', path.resolve('test/agents/leaky-agent.mjs'), calls, '0', 'none', 'plain'];
  const agent = {
    protocol: 'exec',
    command: [...leaky, '--api-key', canaries.flag],
    baseUrl: `http://me:${canaries.address}@${gateway}/v1`,
    env: {
      SHOP_API_KEY: canaries.given,
      AWS_BEARER_TOKEN_BEDROCK: canaries.cloud,
      ANTHROPIC_CUSTOM_HEADERS: `x-shop: ${canaries.headers}`,
    },
  };
  const model = { protocol: 'model', model: 'm', env: { CHARRETTE_MODEL_API_KEY: canaries.gateway } };
  const agents = {
    echoing: { ...model, baseUrl: `http://${gateway}/v1` },
    one: { ...agent, family: 'one' },
    two: { ...agent, family: 'two' },
  };
  const config = path.join(project, '.charrette', 'config.json');
  writeFileSync(config, JSON.stringify({ detect: false, agents }));
  writeFileSync(path.join(project, '.git', 'info', 'exclude'), '.env\n.home\n');
  writeFileSync(path.join(project, '.env'), `PASSWORD=${canaries.file}\n`);
  mkdirSync(path.join(project, '.home'), { recursive: true });
  writeFileSync(path.join(project, '.home', '.netrc'), `password ${canaries.home}\n`);
  const env = {
    ANTHROPIC_API_KEY: canaries.environment,
    DATABASE_PASSWORD: canaries.environment,
    HTTP_PROXY: `http://me:${canaries.proxy}@127.0.0.1:1`,
  };

  const run = await charrette(['design', '--auto', '--yes', 'let customers cancel an order'], {
    cwd: project,
    env,
  });
  const report = await charrette(['report', 'latest', '--md'], { cwd: project, env });

  expect(run.code, run.stderr).toBe(0);
  const heard = [...filesBelow(path.join(project, '.charrette'))].filter((file) => file !== config);
  const texts = [run.stdout, run.stderr, report.stdout, ...heard.map((file) => readFileSync(file, 'latin1'))];
  const streams = heard.filter((file) => file.endsWith('stderr.txt'));
  // The agent did speak, and the keys it was given stand there as blots; so does what the gateway said.
  expect(streams.length).toBeGreaterThan(4);
  const stream = readFileSync(streams[0] ?? '', 'utf8');
  expect(stream).toContain('"SHOP_API_KEY":"[secret]"');
  expect(stream).toContain('"HTTP_PROXY":"http://me:[secret]@127.0.0.1:1"');
  expect(stream).toContain('--api-key [secret]');
  expect(texts.some((text) => text.includes('you sent Bearer [secret]'))).toBe(true);
  // It was started with the key itself, although the run's record has it no more.
  expect(new Set(readFileSync(`${calls}.keys`, 'utf8').trim().split('\n'))).toEqual(new Set([canaries.flag]));
  for (const [name, canary] of Object.entries(canaries))
    expect(
      texts.findIndex((text) => text.includes(canary)),
      name,
    ).toBe(-1);
});

/** A gateway that refuses everybody and repeats what it was sent. */
async function startGateway(): Promise<string> {
  const server = createServer(({ headers }, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `you sent ${headers.authorization}`, type: 'auth' } }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' ? address?.port : 1}`;
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(place);
    else if (entry.isFile()) yield place;
  }
}
