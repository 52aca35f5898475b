import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Postgres, startPostgres } from './postgres.ts';
import { command, newDatabase, type Serving, serve } from './serving.ts';

/** A design that takes little time, put into the queue. */
export const queued = ['design', '--auto', '--quick', '--dialectic', 'off', '--queue'];

/** A server for the tests around it, and for each of them a database that is gone with the workers on it. */
export function sharedStore() {
  let server: Postgres;
  let url: string;
  let client: pg.Client;
  const workers: Serving[] = [];
  beforeAll(async () => {
    server = await startPostgres({ durable: false });
  });
  afterAll(() => server?.stop());
  beforeEach(async ({ task }) => {
    url = await newDatabase(server.url, `store_${task.id.replace(/\W/g, '_')}`);
    client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.stop().catch(() => {});
    await client.end();
  });
  const run = (project: string, ...words: string[]) => command(url, project, ...words);
  return {
    url: () => url,
    port: () => server.port,
    query: (statement: string, values: unknown[] = []) => client.query(statement, values),
    command: run,
    serve: async (project: string, change: Parameters<typeof serve>[2] = {}): Promise<Serving> => {
      const worker = await serve(url, project, change);
      workers.push(worker);
      return worker;
    },
    queue: async (project: string, ...words: string[]): Promise<string> => {
      const { exit, json } = await run(project, ...queued, ...words);
      expect(exit, JSON.stringify(json)).toBe(0);
      return json.run;
    },
  };
}
