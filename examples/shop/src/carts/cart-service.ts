import { badRequest } from '../errors.ts';
import type { Catalogue } from '../products/catalogue.ts';
import type { Product } from '../products/product.ts';
import type { Store } from '../storage/store.ts';
import { type Cart, type PricedCart, priceCart, withQuantity } from './cart.ts';

const maximumQuantity = 99;

export class CartService {
  readonly #store: Store;
  readonly #catalogue: Catalogue;
  readonly #shippingFee: number;

  constructor(store: Store, catalogue: Catalogue, shippingFee: number) {
    this.#store = store;
    this.#catalogue = catalogue;
    this.#shippingFee = shippingFee;
  }

  async get(customerId: string): Promise<Cart> {
    return (await this.#store.get<Cart>('carts', customerId)) ?? { customerId, items: [] };
  }

  async setQuantity(customerId: string, productId: string, quantity: number): Promise<PricedCart> {
    if (!Number.isInteger(quantity) || quantity < 0 || quantity > maximumQuantity) {
      throw badRequest(`"quantity" must be a whole number from 0 to ${maximumQuantity}.`);
    }
    await this.#catalogue.get(productId);
    const cart = withQuantity(await this.get(customerId), productId, quantity);
    await this.#store.put('carts', customerId, cart);
    return this.price(cart);
  }

  async price(cart: Cart): Promise<PricedCart> {
    const products = new Map<string, Product>();
    for (const { productId } of cart.items) products.set(productId, await this.#catalogue.get(productId));
    return priceCart(cart, products, this.#shippingFee);
  }

  async clear(customerId: string): Promise<void> {
    await this.#store.remove('carts', customerId);
  }
}
