import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../src/config.ts';

test('everything has a default', () => {
  assert.equal(loadConfig({}).port, 8080);
});

test('a wrong value is named', () => {
  assert.throws(() => loadConfig({ SHOP_PORT: 'many' }), /SHOP_PORT must be a number/);
  assert.throws(() => loadConfig({ SHOP_LOG_LEVEL: 'loud' }), /must be one of debug, info, warn, error/);
});
