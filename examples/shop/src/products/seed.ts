import type { Store } from '../storage/store.ts';
import type { Product } from './product.ts';

const products: readonly Product[] = [
  { id: 'pencil', title: 'Pencil', description: 'Soft, for sketches', price: 120, stock: 500 },
  { id: 'ruler', title: 'Scale ruler', description: 'Six scales, 30 cm', price: 1490, stock: 40 },
  { id: 'paper', title: 'Tracing paper', description: 'A roll of 20 m for sketches', price: 990, stock: 80 },
  { id: 'knife', title: 'Model knife', description: 'With ten blades', price: 650, stock: 25 },
];

/** Fills an empty store with products to try the shop with. */
export async function seedProducts(store: Store): Promise<void> {
  if ((await store.list('products')).length > 0) return;
  for (const product of products) await store.put('products', product.id, product);
}
