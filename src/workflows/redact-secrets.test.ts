import { expect, test } from 'vitest';
import type { AgentSettings } from '../agents/settings.ts';
import { redactSecrets, restoreSecrets } from './roster.ts';

const settings: AgentSettings = {
  id: 'own',
  protocol: 'exec',
  command: ['./own'],
  env: { OWN_API_KEY: 'abc', OWN_MODE: 'fast' },
};

test('a run keeps the names of secrets and gets their values from the configuration of the day', () => {
  const kept = redactSecrets(settings);
  expect(kept).toEqual({
    id: 'own',
    protocol: 'exec',
    command: ['./own'],
    env: { OWN_MODE: 'fast' },
    withheld: ['OWN_API_KEY'],
  });
  const renewed = { own: { protocol: 'exec' as const, env: { OWN_API_KEY: 'new', OWN_MODE: 'slow' } } };
  expect(restoreSecrets(kept, renewed).env).toEqual({ OWN_MODE: 'fast', OWN_API_KEY: 'new' });
  expect(restoreSecrets(kept, {}).env).toEqual({ OWN_MODE: 'fast' });
});

test('settings without variables stay as they are', () => {
  const plain: AgentSettings = { id: 'claude', protocol: 'claude' };
  expect(restoreSecrets(redactSecrets(plain), undefined)).toEqual(plain);
});

test('a key in the command, a password in the address and headers stay where they were configured', () => {
  const declared = {
    protocol: 'exec' as const,
    command: ['own', '--api-key', 'abcdefgh', '--fast'],
    baseUrl: 'http://me:hunter22@127.0.0.1:8080/v1',
    env: {
      ANTHROPIC_CUSTOM_HEADERS: 'x-api-key: abc',
      HTTPS_PROXY: 'http://me:hunter23@proxy',
      NO_PROXY: 'own',
    },
  };
  const kept = redactSecrets({ id: 'own', ...declared });
  expect(kept).toEqual({
    id: 'own',
    protocol: 'exec',
    command: ['own', '--api-key', '[secret]', '--fast'],
    baseUrl: 'http://me:[secret]@127.0.0.1:8080/v1',
    env: { NO_PROXY: 'own' },
    withheld: ['ANTHROPIC_CUSTOM_HEADERS', 'HTTPS_PROXY'],
  });
  expect(restoreSecrets(kept, { own: declared })).toEqual({ id: 'own', ...declared });
});

test('a command and an address without a secret are those that the run began with', () => {
  const kept = redactSecrets({ ...settings, baseUrl: 'http://127.0.0.1:8080/v1' });
  const changed = {
    own: { protocol: 'exec' as const, command: ['./other'], baseUrl: 'http://127.0.0.1:1/v1' },
  };
  expect(restoreSecrets(kept, changed)).toMatchObject({
    command: ['./own'],
    baseUrl: 'http://127.0.0.1:8080/v1',
  });
});
