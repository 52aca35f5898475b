import type { PGlite } from '@electric-sql/pglite';
import postgres from 'pg';
import { embeddedFault } from './embedded-fault.ts';
import { EmbeddedStream } from './embedded-stream.ts';

/** Texts beyond these are prepared anew each time; the durable engine has some dozens. */
const mostPrepared = 200;

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

/** Names every statement, so that the database parses and plans it once, and tells of errors as its callers want them. */
class PreparingClient extends postgres.Client {
  readonly #names = new Map<string, string>();

  // biome-ignore lint/suspicious/noExplicitAny: stands for a dozen overloads of `pg`
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
    if (known !== undefined || this.#names.size >= mostPrepared) return known;
    const name = `charrette-${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
