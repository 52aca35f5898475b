import { expect, test } from 'vitest';
import { userFolder } from './config.ts';

test.each([
  [{ HOME: '/home/ann' }, '/home/ann/.config/charrette'],
  [{ HOME: '/home/ann', XDG_CONFIG_HOME: '/etc/ann' }, '/etc/ann/charrette'],
  [{ HOME: '/home/ann', XDG_CONFIG_HOME: '' }, '/home/ann/.config/charrette'],
  [{ HOME: '/home/ann', XDG_CONFIG_HOME: 'here' }, '/home/ann/.config/charrette'],
])('%j', (env, folder) => expect(userFolder(env)).toBe(folder));
