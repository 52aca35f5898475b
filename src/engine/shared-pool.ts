import type { Socket } from 'node:net';
import postgres from 'pg';
import type { CharretteError } from '../base/errors.ts';
import { lacksDatabase, serverError } from './engine-errors.ts';

const patienceMs = 15_000;

/** Why the server of a shared store cannot be used now. A database that is missing is made by the first run. */
export async function serverFault(url: string): Promise<CharretteError | undefined> {
  const pool = sharedPool(url, { patienceMs, connections: 1 });
  try {
    await pool.query('SELECT 1');
    return undefined;
  } catch (cause) {
    return lacksDatabase(cause) ? undefined : serverError(cause);
  } finally {
    await pool.end();
  }
}

/** How long a server may owe an answer before its connection counts as dead. */
const maxSilenceMs = 30_000;
const tickMs = 500;
/** A server ends transactions of a process that was cut off or suspended, so that the next holder of its runs does not wait. */
const idleTransactionMs = 10_000;
/** After how many seconds the server asks whether a silent line is dead, and how often; by default it does so after hours. */
const serverKeepAlive = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

export type PoolSettings = {
  /** How long the user of the pool tolerates an unreachable database. */
  patienceMs: number;
  connections?: number;
  idleTransactionMs?: number;
  /** How long a statement may wait for a lock; default: as long as the other side holds it. */
  lockMs?: number;
  /** What the server's lists of connections show. */
  name?: string;
};

/** Connections to a server with timeouts everywhere: a dead line does not report itself. */
export function sharedPool(url: string, settings: PoolSettings): postgres.Pool {
  const silenceMs = Math.min(maxSilenceMs, settings.patienceMs / 3);
  const pool = new postgres.Pool({
    Client: clientThatGivesUpAfter(silenceMs),
    connectionString: url,
    connectionTimeoutMillis: Math.min(10_000, silenceMs),
    max: settings.connections ?? 10,
    keepAlive: true,
    idle_in_transaction_session_timeout: settings.idleTransactionMs ?? idleTransactionMs,
    ...(settings.lockMs === undefined ? {} : { lock_timeout: settings.lockMs }),
    options: serverKeepAlive,
    application_name: settings.name ?? 'charrette',
  });
  // A connection that breaks while idle is replaced by the next query.
  pool.on('error', () => {});
  return pool;
}

function clientThatGivesUpAfter(silenceMs: number): typeof postgres.Client {
  return class extends postgres.Client {
    #timer: NodeJS.Timeout | undefined;

    constructor(config?: string | postgres.ClientConfig) {
      super(config);
      // One that breaks while it is held tells its holder with the next query.
      this.on('error', () => {});
      this.on('drain', () => this.#rest());
      this.on('end', () => this.#rest());
    }

    // biome-ignore lint/suspicious/noExplicitAny: covers a dozen overloads of `pg`
    override query(...given: any[]): any {
      this.#watch();
      const query: (...args: unknown[]) => unknown = super.query;
      return query.apply(this, given);
    }

    /** Counts polls, not time: a suspended process finds the answer waiting when it continues. */
    #watch(): void {
      if (this.#timer !== undefined) return;
      const { stream } = (this as unknown as { connection: { stream: Socket } }).connection;
      let [read, silent] = [stream.bytesRead, 0];
      this.#timer = setInterval(() => {
        silent = stream.bytesRead === read ? silent + tickMs : 0;
        read = stream.bytesRead;
        if (silent < silenceMs) return;
        this.#rest();
        stream.destroy(Object.assign(new Error('the server owes an answer'), { code: 'ETIMEDOUT' }));
      }, tickMs).unref();
    }

    #rest(): void {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  };
}

/** The durable engine's log is for its authors; what people must know are events. */
export const silentLogger = { info() {}, debug() {}, warn() {}, error() {} };
