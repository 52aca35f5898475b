import { expect, test } from 'vitest';
import { openWire } from './exchange.ts';

test('only messages pass, and answers only under a number: others would be printed as they came', async () => {
  const wire = openWire(() => undefined);
  for (const line of [
    'a banner',
    '[]',
    '{"jsonrpc":"1.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":"\\u001b[31mred","result":{}}',
    '{"jsonrpc":"2.0","result":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":"a","method":"session/request_permission"}',
    '{"jsonrpc":"2.0","method":"session/update"}',
  ])
    wire.push(line);
  wire.close();
  const passed: unknown[] = [];
  for await (const message of wire.stream.readable) passed.push(message);
  expect(passed).toEqual([
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 'a', method: 'session/request_permission' },
    { jsonrpc: '2.0', method: 'session/update' },
  ]);
});
