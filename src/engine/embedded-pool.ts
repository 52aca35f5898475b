import type { PGlite } from '@electric-sql/pglite';
import postgres from 'pg';
import { EmbeddedStream } from './embedded-stream.ts';

/** Texts beyond these are prepared anew each time; the durable engine has some dozens. */
const mostPrepared = 200;

/** The one connection to the embedded database as a pool. */
export function embeddedPool(database: PGlite): postgres.Pool {
  const pool = new postgres.Pool({
    Client: PreparingClient,
    stream: () => new EmbeddedStream(database),
    user: 'postgres',
    database: 'postgres',
    max: 1,
    idleTimeoutMillis: 0,
  });
  pool.on('error', () => {});
  return pool;
}

/** Names every statement, so that the database parses and plans it once. */
class PreparingClient extends postgres.Client {
  readonly #names = new Map<string, string>();

  // biome-ignore lint/suspicious/noExplicitAny: stands for a dozen overloads of `pg`
  override query(...given: any[]): any {
    const [text, values, ...rest] = given;
    const query: (...args: unknown[]) => unknown = super.query;
    if (typeof text !== 'string' || !Array.isArray(values)) return query.apply(this, given);
    const name = this.#nameOf(text);
    return query.apply(this, [{ text, values, ...(name === undefined ? {} : { name }) }, ...rest]);
  }

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= mostPrepared) return known;
    const name = `charrette-${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
