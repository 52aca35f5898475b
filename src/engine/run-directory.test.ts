import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInside } from '../base/files/bounded.ts';
import { isPortable, listRunFiles, relocateInputs } from './run-directory.ts';

test('logins, checkouts, locks, half-written files and links stay where they are', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'charrette-files-'));
  const write = (name: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), name);
  };
  const travel = [
    'artifacts/deep/er/plan.txt',
    'events.jsonl',
    'lanes/arch-1/result.json',
    'lanes/arch.json',
    'run.json',
    'steps/one.json',
  ];
  try {
    for (const name of [
      ...travel,
      'lanes/arch-1/home/.claude/credentials.json',
      'lanes/arch-1/events.jsonl',
      'worktrees/main/run.json',
      'artifacts/.plan.txt.0123.tmp',
      'run.lock',
      'inbox/1.json',
    ])
      write(name);
    symlinkSync('/etc/passwd', path.join(root, 'artifacts', 'link.txt'));
    symlinkSync('/etc', path.join(root, 'steps', 'link'));
    expect((await listRunFiles(root)).map((file) => file.path)).toEqual(travel);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test('no name that may travel leads out of the directory', () => {
  const part = fc.constantFrom('..', '.', '', 'artifacts', 'lanes', 'a.json', '\\', '/', '\0', 'result.json');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const name = parts.join('/');
      if (isPortable(name)) expect(isInside('/runs/r', path.resolve('/runs/r', name))).toBe(true);
    }),
  );
  for (const name of ['../run.json', '/run.json', 'artifacts/../../x', 'artifacts/..', 'lanes/../x.json'])
    expect(isPortable(name), name).toBe(false);
});

test('inputs name the places of the clone that continues', () => {
  const inputs = { project: '/a/shop', cwd: '/a/shop/src', other: '/a/shopping', list: ['/a/shop'] };
  expect(relocateInputs(inputs, '/b')).toEqual({
    project: '/b',
    cwd: '/b/src',
    other: '/a/shopping',
    list: ['/b'],
  });
  expect(relocateInputs('text', '/b')).toBe('text');
  const words = {
    project: '/a/shop',
    text: 'Read:\n- /a/shop/x.md (whole), "/a/shop", /b/a/shop/y, /a/shop.old',
  };
  expect(relocateInputs(words, '/c')).toMatchObject({
    text: 'Read:\n- /c/x.md (whole), "/c", /b/a/shop/y, /a/shop.old',
  });
});
