import type { Collection, Store } from './store.ts';

export class MemoryStore implements Store {
  readonly #collections = new Map<Collection, Map<string, unknown>>();

  async get<Kind>(collection: Collection, id: string): Promise<Kind | undefined> {
    return structuredClone(this.#records(collection).get(id)) as Kind | undefined;
  }

  async list<Kind>(collection: Collection): Promise<Kind[]> {
    return structuredClone([...this.#records(collection).values()]) as Kind[];
  }

  async put(collection: Collection, id: string, record: unknown): Promise<void> {
    this.#records(collection).set(id, structuredClone(record));
  }

  async remove(collection: Collection, id: string): Promise<void> {
    this.#records(collection).delete(id);
  }

  #records(collection: Collection): Map<string, unknown> {
    const records = this.#collections.get(collection) ?? new Map<string, unknown>();
    this.#collections.set(collection, records);
    return records;
  }
}
