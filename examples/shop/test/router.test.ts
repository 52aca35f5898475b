import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Router } from '../src/http/router.ts';

const handler = async () => ({ status: 200 });

test('named segments become decoded parameters', () => {
  const router = new Router();
  router.add('GET', '/products/:id', handler);
  assert.deepEqual(router.match('GET', '/products/a%20b').params, { id: 'a b' });
});

test('a known path with another method is 405, an unknown one 404', () => {
  const router = new Router();
  router.add('GET', '/products', handler);
  assert.throws(() => router.match('POST', '/products'), { status: 405 });
  assert.throws(() => router.match('GET', '/product'), { status: 404 });
});
