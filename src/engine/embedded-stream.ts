import { Duplex } from 'node:stream';
import type { PGlite } from '@electric-sql/pglite';

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
    const parts: Buffer[] = [];
    // What is handed over is the database's own memory, which it uses again.
    await this.#database.execProtocolRawStream(message, {
      onRawData: (data) => void parts.push(Buffer.from(data)),
    });
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }
}
