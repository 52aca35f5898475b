import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { expect } from 'vitest';

/** Keys that are planted where a run could come upon them, by the place. */
export const canaries = {
  given: 'canary-given-to-the-agent-7f3a',
  cloud: 'canary-of-a-cloud-2b8e',
  flag: 'canary-behind-a-flag-e41d',
  gateway: 'canary-of-a-gateway-0a6c',
  address: 'canary-in-an-address-38f7',
  proxy: 'canary-of-a-proxy-d5b2',
  headers: 'canary-in-headers-66c9',
  environment: 'canary-of-the-environment-91bc',
  file: 'canary-in-an-ignored-file-55de',
  store: 'canary-of-the-store-4d17',
  collector: 'canary-of-a-collector-a07b',
} as const;

const leaky = path.resolve(import.meta.dirname, '..', 'agents', 'leaky-agent.mjs');

/** An agent that is given keys in every way there is, and says all of them; it answers like another. */
export function leakyAgent(calls: string, more: readonly string[], gateway = '127.0.0.1:1', as?: string) {
  return {
    protocol: 'exec',
    command: ['node', leaky, calls, ...more, '--api-key', canaries.flag],
    baseUrl: `http://me:${canaries.address}@${gateway}/v1`,
    env: {
      SHOP_API_KEY: canaries.given,
      AWS_BEARER_TOKEN_BEDROCK: canaries.cloud,
      ANTHROPIC_CUSTOM_HEADERS: `x-shop: ${canaries.headers}`,
      ...(as === undefined ? {} : { LEAKY_AS: as }),
    },
  };
}

/** Keys in files that git ignores, the given agents, and the file that holds the keys. */
export function plantKeys(project: string, agents: object): string {
  const config = path.join(project, '.charrette', 'config.json');
  writeFileSync(config, JSON.stringify({ detect: false, agents }));
  writeFileSync(path.join(project, '.git', 'info', 'exclude'), '.env\n.home\n');
  mkdirSync(path.join(project, '.home'), { recursive: true });
  writeFileSync(path.join(project, '.env'), `SHOP_PASSWORD=${canaries.file}\n`);
  return config;
}

/** What the program itself is started with. */
export const givenEnvironment = {
  ANTHROPIC_API_KEY: canaries.environment,
  DATABASE_PASSWORD: canaries.environment,
  HTTP_PROXY: `http://me:${canaries.proxy}@127.0.0.1:1`,
};

/** The agent did come upon the keys, or nothing is shown by their absence. */
export function expectFound(calls: string): void {
  const keys = new Set(readFileSync(`${calls}.keys`, 'utf8').trim().split('\n'));
  expect(keys).toEqual(new Set([canaries.flag]));
  const found = readFileSync(`${calls}.found`, 'utf8').trim().split('\n');
  expect(found.filter((line) => line.includes(canaries.file)).length).toBeGreaterThan(1);
}

/** No canary is in any of the texts; each has a name for who reads the failure. */
export function expectNone(texts: Readonly<Record<string, string>>): void {
  const found = Object.entries(texts).flatMap(([where, text]) =>
    Object.entries(canaries).flatMap(([name, canary]) =>
      text.includes(canary) ? [`${name} in ${where}`] : [],
    ),
  );
  expect(found).toEqual([]);
}

/** Everything below a folder as text, but for these files. */
export function textsBelow(folder: string, except: readonly string[] = []): Record<string, string> {
  const files = [...filesBelow(folder)].filter((file) => !except.includes(file));
  return Object.fromEntries(files.map((file) => [file, readFileSync(file, 'latin1')]));
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(place);
    else if (entry.isFile()) yield place;
  }
}

/** A server on loopback that keeps what it is sent and answers as told. */
export async function startListener(
  answer: (authorization: string) => { status: number; body: unknown },
): Promise<{ address: string; heard: string[]; close: () => void }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      heard.push(Buffer.concat(chunks).toString('latin1'));
      const { status, body } = answer(request.headers.authorization ?? '');
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  return {
    address: `127.0.0.1:${typeof address === 'object' ? address?.port : 1}`,
    heard,
    close: () => void server.close(),
  };
}

/** A gateway that refuses everybody and repeats what it was sent. */
export const startGateway = () =>
  startListener((authorization) => ({
    status: 401,
    body: { error: { message: `you sent ${authorization}`, type: 'auth' } },
  }));

type Rows = readonly Record<string, unknown>[];

/** Every row of every table as text, bytes too, by table. */
export async function dumpTables(
  query: (statement: string) => Promise<Rows>,
): Promise<Record<string, string>> {
  const columns = await query(
    `SELECT table_schema AS schema, table_name AS name, column_name AS column, data_type AS type
     FROM information_schema.columns WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const tables = new Map<string, string[]>();
  for (const { schema, name, column, type } of columns) {
    const table = `"${schema}"."${name}"`;
    const shown = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`;
    tables.set(table, [...(tables.get(table) ?? []), shown]);
  }
  const texts: Record<string, string> = {};
  for (const [table, shown] of tables) {
    const rows = await query(`SELECT concat_ws(' ', ${shown.join(', ')}) AS text FROM ${table}`);
    texts[table] = rows.map(({ text }) => String(text)).join('\n');
  }
  return texts;
}
