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
