import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openShop } from './shop.ts';

let shop: Awaited<ReturnType<typeof openShop>>;
before(async () => {
  shop = await openShop();
});
after(() => shop.close());

test('products are listed and found by words', async () => {
  const all = await shop.send('GET', '/products');
  assert.equal(all.status, 200);
  assert.equal(all.body.length, 4);
  const found = await shop.send('GET', '/products?search=sketches');
  assert.deepEqual(
    found.body.map((product: { id: string }) => product.id),
    ['pencil', 'paper'],
  );
});

test('an unknown page, product or method has its own answer', async () => {
  assert.equal((await shop.send('GET', '/nowhere')).status, 404);
  assert.equal((await shop.send('GET', '/products/unicorn')).status, 404);
  assert.equal((await shop.send('DELETE', '/products')).status, 405);
});

test('the cart needs a token', async () => {
  assert.equal((await shop.send('GET', '/cart')).status, 401);
});

test('a customer fills a cart and places an order', async () => {
  await shop.signIn();
  const cart = await shop.send('PUT', '/cart/items/ruler', { quantity: 2 });
  assert.deepEqual([cart.body.goods, cart.body.shipping, cart.body.total], [2980, 490, 3470]);
  const order = await shop.send('POST', '/orders');
  assert.equal(order.status, 201);
  assert.equal(order.body.status, 'paid');
  assert.equal((await shop.send('GET', '/cart')).body.lines.length, 0);
  assert.equal((await shop.send('GET', `/orders/${order.body.id}`)).body.total, 3470);
  assert.equal((await shop.send('GET', '/products/ruler')).body.stock, 38);
});

test('a body without the wanted fields is refused', async () => {
  assert.equal((await shop.send('POST', '/tokens', 'text')).status, 400);
});
