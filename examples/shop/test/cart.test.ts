import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeShippingFrom, priceCart, withQuantity } from '../src/carts/cart.ts';

const product = { id: 'ruler', title: 'Ruler', description: '', price: 1490, stock: 9 };
const products = new Map([[product.id, product]]);
const empty = { customerId: 'ada', items: [] };

test('a quantity is set, replaced and taken out', () => {
  const two = withQuantity(empty, 'ruler', 2);
  assert.deepEqual(two.items, [{ productId: 'ruler', quantity: 2 }]);
  assert.deepEqual(withQuantity(two, 'ruler', 5).items, [{ productId: 'ruler', quantity: 5 }]);
  assert.deepEqual(withQuantity(two, 'ruler', 0).items, []);
});

test('the fee in euros becomes cents', () => {
  assert.equal(priceCart(withQuantity(empty, 'ruler', 1), products, 4.9).shipping, 490);
});

test('large orders ship for free, and so does nothing', () => {
  const many = priceCart(withQuantity(empty, 'ruler', 4), products, 4.9);
  assert.ok(many.goods >= freeShippingFrom);
  assert.equal(many.shipping, 0);
  assert.equal(priceCart(empty, products, 4.9).total, 0);
});
