import { Duplex } from 'node:stream';
import type { PGlite } from '@electric-sql/pglite';

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
