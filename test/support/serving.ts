import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import pg from 'pg';
import { thisWorld } from '../../src/agents/settings.ts';
import { readEvents } from '../../src/engine/event-log.ts';
import { openQueue, type Queue } from '../../src/engine/queue/queue.ts';
import { runProgram } from '../../src/main/program.ts';
import { openPlace } from '../../src/service/worker/places.ts';
import { serveQueue, type WorkerOptions, type WorkerSummary } from '../../src/service/worker/session.ts';
import type { WorkerEvent } from '../../src/service/worker/worker-event.ts';
import { until } from './live-program.ts';

/** Gives the error that a statement shall fail with, if it shall. */
export type Fault = (statement: string, values: readonly unknown[]) => Error | undefined;

/** The same queue, on which some statements outside of transactions fail before they reach the server. */
export function faulty(queue: Queue, fault: Fault): Queue {
  const pool = new Proxy(queue.pool, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'query') return value.bind(target);
      return async (statement: string, values: unknown[] = []) => {
        const error = fault(statement, values);
        if (error !== undefined) throw error;
        return target.query(statement, values);
      };
    },
  });
  return { ...queue, pool };
}

export const failure = (message: string, code: string) => Object.assign(new Error(message), { code });

/** A worker in this process. */
export type Serving = {
  events: WorkerEvent[];
  /** What it said of a run, by type. */
  of(run: string): string[];
  says(type: WorkerEvent['type'], run?: string): Promise<void>;
  stop(): Promise<WorkerSummary>;
};

export async function serve(
  url: string,
  project: string,
  change: Partial<WorkerOptions> & { alter?: (queue: Queue) => Queue } = {},
): Promise<Serving> {
  const { alter = (queue: Queue) => queue, ...options } = change;
  const queue = await openQueue(url);
  const world = thisWorld();
  const stop = new AbortController();
  const events: WorkerEvent[] = [];
  const done = serveQueue(
    {
      queue: alter(queue),
      url,
      places: [await openPlace(project, world)],
      labels: [],
      limit: 4,
      parallel: 8,
      limits: {},
      agents: {},
      heartbeatTimeoutSeconds: 15,
      drainSeconds: 5,
      keepDays: 30,
      world,
      signal: stop.signal,
      ...options,
    },
    (event) => events.push(event),
  ).finally(() => queue.close());
  done.catch(() => {});
  return {
    events,
    of: (run) => events.flatMap((event) => ('run' in event && event.run === run ? [event.type] : [])),
    says: (type, run) =>
      until(() =>
        events.some(
          (event) => event.type === type && (run === undefined || ('run' in event && event.run === run)),
        ),
      ),
    stop: () => {
      stop.abort('SIGTERM');
      return done;
    },
  };
}

/** Runs a command line in this process with a shared store; gives its JSON document. */
export async function command(url: string, project: string, ...words: string[]) {
  let out = '';
  const sink = (keep: boolean) =>
    new Writable({
      write(chunk, _encoding, done) {
        if (keep) out += String(chunk);
        done();
      },
    });
  const env = { CHARRETTE_DATABASE_URL: url };
  const terminal = { stdin: Readable.from([]), stdout: sink(true), stderr: sink(false), env };
  const exit = await runProgram(['--cwd', project, '--json', ...words], terminal);
  return { exit, json: JSON.parse(out) };
}

/** A separate database for one test: the example repository is the same everywhere. */
export async function newDatabase(server: string, name: string): Promise<string> {
  const admin = new pg.Client({ connectionString: server });
  admin.on('error', () => {});
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  return server.replace(/postgres$/, name);
}

export function eventTypes(project: string, run: string): string[] {
  return readEvents(path.join(project, '.charrette', 'runs', run, 'events.jsonl')).map(({ type }) => type);
}
