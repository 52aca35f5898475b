import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeStatus, type Order } from '../src/orders/order.ts';
import { StubGateway } from '../src/payments/stub-gateway.ts';
import { openShop } from './shop.ts';

const order: Order = {
  id: 'order-1',
  customerId: 'ada',
  placedAt: '2026-03-01T12:00:00.000Z',
  status: 'paid',
  lines: [],
  shipping: 0,
  total: 0,
};

test('a paid order can be shipped and not go back', () => {
  const shipped = changeStatus(order, 'shipped');
  assert.equal(shipped.status, 'shipped');
  assert.throws(() => changeStatus(shipped, 'paid'), /cannot become paid/);
});

test('an order for more than there is leaves the stock alone', async () => {
  const shop = await openShop();
  try {
    await shop.signIn();
    await shop.send('PUT', '/cart/items/pencil', { quantity: 3 });
    await shop.send('PUT', '/cart/items/knife', { quantity: 26 });
    const answer = await shop.send('POST', '/orders');
    assert.equal(answer.body.error.code, 'out_of_stock');
    assert.equal((await shop.send('GET', '/products/pencil')).body.stock, 500);
  } finally {
    shop.close();
  }
});

test('a declined payment puts the stock back and keeps the cart', async () => {
  const shop = await openShop(new StubGateway(1000));
  try {
    await shop.signIn();
    await shop.send('PUT', '/cart/items/ruler', { quantity: 1 });
    assert.equal((await shop.send('POST', '/orders')).status, 402);
    assert.equal((await shop.send('GET', '/products/ruler')).body.stock, 40);
    assert.equal((await shop.send('GET', '/cart')).body.lines.length, 1);
    assert.equal((await shop.send('GET', '/orders')).body[0].status, 'failed');
  } finally {
    shop.close();
  }
});

test('nobody sees the orders of another customer', async () => {
  const shop = await openShop();
  try {
    await shop.signIn();
    await shop.send('PUT', '/cart/items/pencil', { quantity: 1 });
    const { body } = await shop.send('POST', '/orders');
    await shop.signIn('bob@example.org');
    assert.equal((await shop.send('GET', `/orders/${body.id}`)).status, 404);
  } finally {
    shop.close();
  }
});
