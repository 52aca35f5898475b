import type { AddressInfo } from 'node:net';
import { createApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { createLogger } from '../src/logger.ts';
import { StubGateway } from '../src/payments/stub-gateway.ts';
import { seedProducts } from '../src/products/seed.ts';
import { MemoryStore } from '../src/storage/memory-store.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the answer holds
export type Answer = { status: number; body: any };

/** A shop that listens on a free port, with a customer's token; `close` ends it. */
export async function openShop(gateway = new StubGateway()) {
  const store = new MemoryStore();
  await seedProducts(store);
  const app = createApp({
    config: loadConfig({}),
    logger: createLogger('error', () => {}),
    store,
    gateway,
    now: () => new Date('2026-03-01T12:00:00Z'),
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  let token = '';

  async function send(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(base + path, {
      method,
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  async function signIn(email = 'ada@example.org'): Promise<void> {
    token = '';
    await send('POST', '/customers', { email, password: 'correct horse' });
    token = (await send('POST', '/tokens', { email, password: 'correct horse' })).body.token;
  }

  return { store, send, signIn, close: () => app.close() };
}
