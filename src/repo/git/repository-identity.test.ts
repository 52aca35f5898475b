import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { normalOrigin, repositoryIdentity } from './repository-identity.ts';

test('one repository has one name however its address is written, and the name carries no login', () => {
  for (const url of [
    'https://github.com/acme/shop.git',
    'https://someone:secret@GitHub.com/acme/shop',
    'ssh://git@github.com:22/acme/shop.git/',
    'git@github.com:acme/shop.git',
    'github.com:/acme/shop',
  ])
    expect(normalOrigin(url), url).toBe('github.com/acme/shop');
  for (const url of ['/srv/git/shop.git', '../shop', 'file:///srv/shop', 'C:/shop', ''])
    expect(normalOrigin(url), url).toBeUndefined();
});

test('clones of a folder are known by their first commit', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-identity-'));
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], { cwd, stdio: 'pipe' });
  try {
    git(folder, 'init', '--quiet', 'one');
    const one = path.join(folder, 'one');
    expect(await repositoryIdentity(one)).toContain('folder:');
    git(one, 'commit', '--quiet', '--allow-empty', '-m', 'first');
    git(folder, 'clone', '--quiet', 'one', 'two');
    const identity = await repositoryIdentity(one);
    expect(identity).toMatch(/^commit:[0-9a-f]{40}$/);
    git(path.join(folder, 'two'), 'commit', '--quiet', '--allow-empty', '-m', 'second');
    expect(await repositoryIdentity(path.join(folder, 'two'))).toBe(identity);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
