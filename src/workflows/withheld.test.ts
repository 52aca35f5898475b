import { expect, test } from 'vitest';
import type { AgentSettings } from '../agents/settings.ts';
import { giveBack, withhold } from './withheld.ts';

const settings: AgentSettings = {
  id: 'own',
  protocol: 'exec',
  command: ['./own'],
  env: { OWN_API_KEY: 'abc', OWN_MODE: 'fast' },
};

test('a run keeps the names of secrets and gets their values from the configuration of the day', () => {
  const kept = withhold(settings);
  expect(kept).toEqual({
    id: 'own',
    protocol: 'exec',
    command: ['./own'],
    env: { OWN_MODE: 'fast' },
    withheld: ['OWN_API_KEY'],
  });
  const renewed = { own: { protocol: 'exec' as const, env: { OWN_API_KEY: 'new', OWN_MODE: 'slow' } } };
  expect(giveBack(kept, renewed).env).toEqual({ OWN_MODE: 'fast', OWN_API_KEY: 'new' });
  expect(giveBack(kept, {}).env).toEqual({ OWN_MODE: 'fast' });
});

test('settings without variables stay as they are', () => {
  const plain: AgentSettings = { id: 'claude', protocol: 'claude' };
  expect(giveBack(withhold(plain), undefined)).toEqual(plain);
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
  const kept = withhold({ id: 'own', ...declared });
  expect(kept).toEqual({
    id: 'own',
    protocol: 'exec',
    command: ['own', '--api-key', '[secret]', '--fast'],
    baseUrl: 'http://me:[secret]@127.0.0.1:8080/v1',
    env: { NO_PROXY: 'own' },
    withheld: ['ANTHROPIC_CUSTOM_HEADERS', 'HTTPS_PROXY'],
  });
  expect(giveBack(kept, { own: declared })).toEqual({ id: 'own', ...declared });
});

test('a command and an address without a secret are those that the run began with', () => {
  const kept = withhold({ ...settings, baseUrl: 'http://127.0.0.1:8080/v1' });
  const changed = {
    own: { protocol: 'exec' as const, command: ['./other'], baseUrl: 'http://127.0.0.1:1/v1' },
  };
  expect(giveBack(kept, changed)).toMatchObject({ command: ['./own'], baseUrl: 'http://127.0.0.1:8080/v1' });
});
