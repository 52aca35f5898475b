import { expect, test } from 'vitest';
import { withoutSecrets } from './secrets.ts';

test('what is shown has neither values of secret names nor passwords of addresses, and all the rest', () => {
  const settings = {
    store: { url: 'postgres://me:pass%40word@host:5432/runs' },
    agents: { own: { command: ['own', '--mode=a:b@c'], env: { OWN_API_KEY: 'abcdefgh', OWN_MODE: 'fast' } } },
    limits: { maxTokens: 5 },
    baseUrl: 'http://127.0.0.1:8080/v1',
  };
  expect(withoutSecrets(settings)).toEqual({
    store: { url: 'postgres://me:[secret]@host:5432/runs' },
    agents: { own: { command: ['own', '--mode=a:b@c'], env: { OWN_API_KEY: '[secret]', OWN_MODE: 'fast' } } },
    limits: { maxTokens: 5 },
    baseUrl: 'http://127.0.0.1:8080/v1',
  });
});

test.each([
  [
    ['own', '--api-key', 'abcdefgh', '--fast'],
    ['own', '--api-key', '[secret]', '--fast'],
  ],
  [
    ['own', '--api-key=abcdefgh', 'OWN_TOKEN=x'],
    ['own', '--api-key=[secret]', 'OWN_TOKEN=[secret]'],
  ],
  [
    ['own', '--use', 'sk-ant-0123456789'],
    ['own', '--use', '[secret]'],
  ],
  [
    ['curl', '-H', 'Authorization: Bearer abcdefgh123'],
    ['curl', '-H', 'Authorization: Bearer [secret]'],
  ],
  [
    ['psql', '--url=postgres://me:pass@host/runs', '--max-tokens', '5'],
    ['psql', '--url=postgres://me:[secret]@host/runs', '--max-tokens', '5'],
  ],
  [
    ['own', '--token', '--verbose', 'task-list-of-today'],
    ['own', '--token', '--verbose', 'task-list-of-today'],
  ],
])('a key in a command line is blotted out, nothing else: %j', (command, shown) => {
  expect(withoutSecrets({ command })).toEqual({ command: shown });
});
