import { createApp } from './app.ts';
import { loadConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { StubGateway } from './payments/stub-gateway.ts';
import { seedProducts } from './products/seed.ts';
import { FileStore } from './storage/file-store.ts';
import { MemoryStore } from './storage/memory-store.ts';

const config = loadConfig(process.env);
const logger = createLogger(config.logLevel);
const store = config.dataDirectory === undefined ? new MemoryStore() : new FileStore(config.dataDirectory);
const app = createApp({
  config,
  logger,
  store,
  gateway: new StubGateway(),
  now: () => new Date(),
});

await seedProducts(store);
app.listen(config.port, config.host, () => {
  logger.info('listening', { host: config.host, port: config.port });
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => app.close(() => process.exit(0)));
}
