/** `node test/model-server/main.ts [--port 0] [--rules FILE] [--log FILE]`: prints `{"port":N,"url":"…"}` when it listens. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readRules } from './rules.ts';
import { startModelServer } from './server.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    rules: { type: 'string' },
    log: { type: 'string' },
  },
});

const server = await startModelServer({
  port: Number(values.port),
  rules: values.rules === undefined ? [] : readRules(readFileSync(values.rules, 'utf8'), values.rules),
  ...(values.log === undefined ? {} : { log: values.log }),
});
process.stdout.write(`${JSON.stringify({ port: server.port, url: server.url })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close());
