import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Collection, Store } from './store.ts';

type Records = Record<string, unknown>;

/** Keeps each collection in one JSON file. For one process only: the last writer wins. */
export class FileStore implements Store {
  readonly #directory: string;
  #pending: Promise<unknown> = Promise.resolve();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async get<Kind>(collection: Collection, id: string): Promise<Kind | undefined> {
    return (await this.#read(collection))[id] as Kind | undefined;
  }

  async list<Kind>(collection: Collection): Promise<Kind[]> {
    return Object.values(await this.#read(collection)) as Kind[];
  }

  put(collection: Collection, id: string, record: unknown): Promise<void> {
    return this.#change(collection, (records) => ({ ...records, [id]: record }));
  }

  remove(collection: Collection, id: string): Promise<void> {
    return this.#change(collection, ({ [id]: _removed, ...others }) => others);
  }

  /** Changes run one after the other, so that two of them never lose each other's records. */
  #change(collection: Collection, change: (records: Records) => Records): Promise<void> {
    const done = this.#pending.then(async () =>
      this.#write(collection, change(await this.#read(collection))),
    );
    this.#pending = done.catch(() => undefined);
    return done;
  }

  async #read(collection: Collection): Promise<Records> {
    try {
      return JSON.parse(await readFile(this.#file(collection), 'utf8')) as Records;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw error;
    }
  }

  async #write(collection: Collection, records: Records): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const temporary = `${this.#file(collection)}.tmp`;
    await writeFile(temporary, JSON.stringify(records, null, 2));
    await rename(temporary, this.#file(collection));
  }

  #file(collection: Collection): string {
    return join(this.#directory, `${collection}.json`);
  }
}
