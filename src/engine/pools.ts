import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import type { PGlite } from '@electric-sql/pglite';
import postgres from 'pg';
import type { CharretteError } from '../base/errors.ts';
import { lacksDatabase, serverError } from './engine-errors.ts';

/** SQLSTATEs of a machine that has run out of something or refuses it, with the name that the system has for it. */
const systemCodes: Readonly<Record<string, string>> = {
  // Only the file system refuses anything to the single user.
  '42501': 'EACCES',
  '53000': 'EMFILE',
  '53100': 'ENOSPC',
  '53200': 'ENOMEM',
};

/**
 * An error of the embedded database as its callers want it. The durable engine takes a lack of resources for a server that is soon
 * back and asks again for ever, without a word; here it is this machine that lacks them, and says so as for any other file. The
 * message begins with the name, which is all that stays of an error in the journal.
 */
export function embeddedFault(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  const code = systemCodes[error.code];
  // Without the cause: the durable engine inspects that, too.
  return code === undefined ? error : Object.assign(new Error(`${code}: ${error.message}`), { code });
}

/** The last words of databases that have panicked; what one does after that is not to be relied on. */
const panics = new WeakMap<PGlite, Buffer>();

const readyForQuery = Buffer.from('Z\0\0\0\u0005I');
const terminate = 'X'.charCodeAt(0);
const errorResponse = 'E'.charCodeAt(0);

/**
 * The wire between `pg` and the embedded database. What `pg` writes in one go (parse, bind, describe, execute, sync) reaches
 * the database as one message; PGlite's own adapter hands over each part alone.
 */
export class EmbeddedStream extends Duplex {
  readonly #database: PGlite;

  constructor(database: PGlite) {
    super();
    this.#database = database;
  }

  /** There is nothing to connect to; `pg` waits for the event. */
  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#send(chunk).then(() => done(), done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done);
  }

  async #send(message: Buffer): Promise<void> {
    const answer = message[0] === 0 ? await this.#greet(message) : await this.#ask(message);
    if (answer.length > 0) this.push(answer);
  }

  /** The first message of a connection has no letter; it is answered before the database is asked. */
  #greet(message: Buffer): Promise<Uint8Array> {
    return this.#database.execProtocolRaw(message);
  }

  /** The other way of asking also parses every answer, and keeps all of them for as long as the database is open. */
  async #ask(message: Buffer): Promise<Uint8Array> {
    const last = panics.get(this.#database);
    if (last !== undefined) return message[0] === terminate ? Buffer.alloc(0) : last;
    const parts: Buffer[] = [];
    // What is handed over is the database's own memory, which it uses again.
    await this.#database.execProtocolRawStream(message, {
      onRawData: (data) => void parts.push(Buffer.from(data)),
    });
    const answer = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
    const panic = panicIn(answer);
    if (panic === undefined) return answer;
    panics.set(this.#database, Buffer.concat([panic, readyForQuery]));
    return Buffer.concat([answer, readyForQuery]);
  }
}

/** The error after which the database did not say that it is ready again. A server ends its connections then; here `pg` would wait for ever. */
function panicIn(answer: Buffer): Buffer | undefined {
  // Its last byte says whether a transaction is open.
  if (answer.subarray(-readyForQuery.length, -1).equals(readyForQuery.subarray(0, -1))) return undefined;
  let last = answer;
  for (let at = 0; at < answer.length; at += last.length)
    last = answer.subarray(at, at + 1 + answer.readUInt32BE(at + 1));
  return last[0] === errorResponse ? last : undefined;
}

/**
 * Keeps V8 from optimising the database's code. The compiler takes more time and memory for it than the queries of a run win
 * back; `node bench/store-code.ts` measures both.
 */
export function keepBaselineCode(): void {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}

/** Beyond these, texts are parsed again each time; the durable engine has some dozens. */
const maxPrepared = 200;

/** The one connection to the embedded database as a pool. */
export function embeddedPool(database: PGlite): postgres.Pool {
  const pool = new postgres.Pool({
    Client: PreparingClient,
    stream: () => new EmbeddedStream(database),
    // The pool replaces a client after an error, but the database's session stays and has what the one before left in it.
    onConnect: async (client) => void (await client.query('ROLLBACK; DEALLOCATE ALL')),
    user: 'postgres',
    database: 'postgres',
    max: 1,
    idleTimeoutMillis: 0,
  });
  pool.on('error', () => {});
  return pool;
}

/** Names every statement, so that the database parses and plans it once, and converts errors for its callers. */
class PreparingClient extends postgres.Client {
  readonly #names = new Map<string, string>();

  // biome-ignore lint/suspicious/noExplicitAny: covers a dozen overloads of `pg`
  override query(...given: any[]): any {
    const [text, values, ...rest] = given;
    if (typeof text !== 'string' || !Array.isArray(values)) return this.#ask(given);
    const name = this.#nameOf(text);
    return this.#ask([{ text, values, ...(name === undefined ? {} : { name }) }, ...rest]);
  }

  #ask(given: readonly unknown[]): unknown {
    const query: (...args: unknown[]) => unknown = super.query;
    const tell = given.at(-1);
    if (typeof tell === 'function') {
      const hear = (error: unknown, result: unknown) => tell(embeddedFault(error), result);
      return query.apply(this, [...given.slice(0, -1), hear]);
    }
    const answer = query.apply(this, [...given]);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error) => {
      throw embeddedFault(error);
    });
  }

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= maxPrepared) return known;
    const name = `charrette-${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}

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
