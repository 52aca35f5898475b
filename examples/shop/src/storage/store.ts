export type Collection = 'products' | 'customers' | 'carts' | 'orders';

/** Keeps records by collection and id. Every method gives copies: changing one changes nothing in the store. */
export interface Store {
  get<Kind>(collection: Collection, id: string): Promise<Kind | undefined>;
  list<Kind>(collection: Collection): Promise<Kind[]>;
  put(collection: Collection, id: string, record: unknown): Promise<void>;
  remove(collection: Collection, id: string): Promise<void>;
}
