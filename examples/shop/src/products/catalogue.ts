import { conflict, notFound } from '../errors.ts';
import type { Store } from '../storage/store.ts';
import type { Product } from './product.ts';

/** The products of the shop and how many of each are left. */
export class Catalogue {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async get(id: string): Promise<Product> {
    const product = await this.#store.get<Product>('products', id);
    if (product === undefined) throw notFound('product');
    return product;
  }

  /** All products whose title or description has the words, best first; without words all, by title. */
  async search(words: string): Promise<Product[]> {
    const products = await this.#store.list<Product>('products');
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    return products
      .map((product) => ({ product, score: scoreProduct(product, wanted) }))
      .filter(({ score }) => wanted.length === 0 || score > 0)
      .sort((a, b) => b.score - a.score || a.product.title.localeCompare(b.product.title))
      .map(({ product }) => product);
  }

  /** Takes pieces out of stock; refuses when there are too few. */
  async takeStock(id: string, quantity: number): Promise<void> {
    const product = await this.get(id);
    if (product.stock < quantity) {
      throw conflict('out_of_stock', `Only ${product.stock} of "${product.title}" are left.`);
    }
    await this.#store.put('products', id, { ...product, stock: product.stock - quantity });
  }

  async returnStock(id: string, quantity: number): Promise<void> {
    const product = await this.get(id);
    await this.#store.put('products', id, { ...product, stock: product.stock + quantity });
  }
}

function scoreProduct(product: Product, words: readonly string[]): number {
  const title = product.title.toLowerCase();
  const description = product.description.toLowerCase();
  return words.reduce(
    (sum, word) => sum + (title.includes(word) ? 2 : 0) + (description.includes(word) ? 1 : 0),
    0,
  );
}
