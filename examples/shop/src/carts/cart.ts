import type { Product } from '../products/product.ts';

export type CartItem = { productId: string; quantity: number };

export type Cart = { customerId: string; items: CartItem[] };

export type CartLine = {
  productId: string;
  title: string;
  quantity: number;
  unitPrice: number;
  total: number;
};

export type PricedCart = { lines: CartLine[]; goods: number; shipping: number; total: number };

/** From this value of goods on, in cents, shipping is free. */
export const freeShippingFrom = 5000;

/** The cart with the quantity of one product set; 0 takes the product out. */
export function withQuantity(cart: Cart, productId: string, quantity: number): Cart {
  const others = cart.items.filter((item) => item.productId !== productId);
  return { ...cart, items: quantity === 0 ? others : [...others, { productId, quantity }] };
}

/** Prices a cart in cents. `shippingFee` is in euros. */
export function priceCart(
  cart: Cart,
  products: ReadonlyMap<string, Product>,
  shippingFee: number,
): PricedCart {
  const lines = cart.items.flatMap(({ productId, quantity }) => {
    const product = products.get(productId);
    if (product === undefined) return [];
    const { title, price } = product;
    return [{ productId, title, quantity, unitPrice: price, total: price * quantity }];
  });
  const goods = lines.reduce((sum, line) => sum + line.total, 0);
  const shipping = goods === 0 || goods >= freeShippingFrom ? 0 : Math.round(shippingFee * 100);
  return { lines, goods, shipping, total: goods + shipping };
}
