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
