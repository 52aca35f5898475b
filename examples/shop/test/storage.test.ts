import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FileStore } from '../src/storage/file-store.ts';
import { MemoryStore } from '../src/storage/memory-store.ts';
import type { Store } from '../src/storage/store.ts';

async function behavesAsStore(store: Store): Promise<void> {
  await store.put('products', 'a', { stock: 1 });
  await Promise.all([store.put('products', 'b', { stock: 2 }), store.put('products', 'c', { stock: 3 })]);
  assert.deepEqual(await store.get('products', 'b'), { stock: 2 });
  assert.equal((await store.list('products')).length, 3);
  await store.remove('products', 'a');
  assert.equal(await store.get('products', 'a'), undefined);
  assert.deepEqual(await store.list('orders'), []);
}

test('records are kept in memory', async () => {
  const store = new MemoryStore();
  await behavesAsStore(store);
  const record = await store.get<{ stock: number }>('products', 'b');
  if (record !== undefined) record.stock = 99;
  assert.deepEqual(await store.get('products', 'b'), { stock: 2 });
});

test('records are kept in files, also for the next process', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'shop-'));
  try {
    await behavesAsStore(new FileStore(directory));
    assert.deepEqual(await new FileStore(directory).get('products', 'c'), { stock: 3 });
  } finally {
    await rm(directory, { recursive: true });
  }
});
