import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWith } from '../../../test/support/design-project.ts';
import { secretsAround } from './secret-files.ts';

test('keys in the .env files of a project, by their names, however they are written', async () => {
  const directory = projectWith({
    '.env': [
      'export SHOP_API_KEY="key-1-of-the-shop"',
      "DB_PASSWORD='pass word 2 #not a comment'",
      'DATABASE_URL=postgres://me:pass-3-here@host/db # the store',
      'PORT=30000000',
      'PRIVATE_KEY="-----BEGIN KEY-----\nabcdef4567890\n-----END KEY-----"',
    ].join('\n'),
    '.env.local': 'AUTH_TOKEN=token-5-local\n',
    '.env.example': 'AUTH_TOKEN=put-6-here-please\n',
    '.env.d/secret': 'AUTH_TOKEN=token-7\n',
    'src/.env': 'AUTH_TOKEN=token-8-deeper\n',
    '.envrc': 'AUTH_TOKEN=token-9-else\n',
  });
  expect((await secretsAround(directory, {})).sort()).toEqual([
    '-----BEGIN KEY-----',
    '-----END KEY-----',
    'abcdef4567890',
    'key-1-of-the-shop',
    'pass word 2 #not a comment',
    'pass-3-here',
    'token-5-local',
  ]);
});

test('words are no keys: what an agent says stays readable', async () => {
  const directory = projectWith({
    '.env':
      'POSTGRES_PASSWORD=postgres\nADMIN_PASSWORD=change-me-please\nA_TOKEN=$' +
      '{OTHER_TOKEN_1}\nB_KEY=short1\n',
  });
  expect(await secretsAround(directory, {})).toEqual([]);
});

test('keys of this process, whoever was given them', async () => {
  const environment = {
    CHARRETTE_DATABASE_URL: 'postgresql://me:store-pass-3@127.0.0.1/x',
    PGPASSWORD: 'charrette',
    HOME: '/x',
  };
  expect(await secretsAround(projectWith(), environment)).toEqual(['store-pass-3']);
});

test('a checkout of a run has the keys of its project too, and what cannot be read is none', async () => {
  const project = projectWith({ '.env': 'A_KEY=of-the-project-1\n' });
  const checkout = path.join(project, '.charrette', 'runs', 'r', 'worktrees', 'build');
  mkdirSync(checkout, { recursive: true });
  mkdirSync(path.join(checkout, '.env'));
  symlinkSync('nowhere', path.join(checkout, '.env.local'));
  expect(await secretsAround(checkout, {})).toEqual(['of-the-project-1']);
});
