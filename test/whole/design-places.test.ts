import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeExampleRepository } from '../../scripts/example-repository.mjs';
import { optionalProgram, skipsBecause } from '../support/optional-programs.ts';
import { artifactsOf, charrette, program, runsOf } from '../support/program.ts';

/** A repository that every place below is made from. */
let origin: string;

beforeAll(() => {
  origin = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-origin-')), 'shop');
  makeExampleRepository(origin);
});

const identity = ['-c', 'user.name=Ann Example', '-c', 'user.email=ann@example.com'];
function git(cwd: string, ...words: string[]): string {
  const allowed = ['-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...identity, ...allowed, ...words], { cwd, encoding: 'utf8', stdio: 'pipe' });
}
const folder = () => mkdtempSync(path.join(tmpdir(), 'charrette-place-'));
function clone(...flags: string[]): string {
  const target = path.join(folder(), 'shop');
  git(path.dirname(target), 'clone', '--quiet', ...flags, `file://${origin}`, target);
  git(target, 'config', 'user.name', 'Ann Example');
  git(target, 'config', 'user.email', 'ann@example.com');
  return target;
}

/** Places where a run must not start: how they are made, the code and exit, what the message must say. */
const refusals: [
  place: string,
  make: () => string,
  flags: string[],
  exit: number,
  code: string,
  says: RegExp,
][] = [
  ['no repository', folder, [], 5, 'not-a-repository', /not inside a git repository/],
  [
    'a detached HEAD',
    () => {
      const place = clone();
      git(place, 'checkout', '--quiet', '--detach');
      return place;
    },
    [],
    5,
    'preflight-failed',
    /HEAD is detached[\s\S]*git switch main[\s\S]*ann-example\//,
  ],
  [
    'a dirty tree',
    () => {
      const place = clone();
      writeFileSync(path.join(place, 'README.md'), 'changed\n');
      return place;
    },
    [],
    5,
    'dirty-tree',
    /not clean \(1 path: README\.md\)[\s\S]*commit or stash/,
  ],
  [
    'a repository without a commit',
    () => {
      const place = folder();
      git(place, 'init', '--quiet');
      return place;
    },
    ['--no-branch'],
    5,
    'no-commits',
    /has no commit yet/,
  ],
  [
    'a repository without its base branch',
    () => {
      const place = clone();
      git(place, 'remote', 'remove', 'origin');
      git(place, 'branch', '-m', 'trunk');
      return place;
    },
    [],
    5,
    'preflight-failed',
    /not on main: on trunk/,
  ],
  [
    'a remote that lost its base branch',
    () => {
      const place = clone();
      git(place, 'remote', 'set-url', 'origin', folder());
      return place;
    },
    [],
    5,
    'preflight-failed',
    /git fetch origin main failed/,
  ],
  ['a directory that is not there', () => '/does/not/exist', [], 4, 'not-found', /does not exist/],
];

test.concurrent.each(refusals)(
  'L-111, L-116, L-118: %s: nothing starts, and the message says what to do',
  async (_place, make, flags, exit, code, says) => {
    const place = make();
    const words = ['design', '--auto', '--yes', '--json', '--agents', 'static', ...flags];
    const ended = await charrette([...words, '--cwd', place, 'cancel an order'], { cwd: folder() });
    const { error } = JSON.parse(ended.stdout) as { error: { code: string; message: string; fix?: string } };
    expect(ended.code).toBe(exit);
    expect(error.code).toBe(code);
    expect(`${error.message}\n${error.fix ?? ''}`).toMatch(says);
    expect(runsOf(place)).toEqual([]);
  },
);

/** Places where a run must work: how they are made, where the run starts, what it reports. */
const enterable: [place: string, make: () => { start: string; project: string }, says: RegExp | undefined][] =
  [
    [
      'a shallow clone',
      () => {
        const start = clone('--depth', '1');
        return { start, project: start };
      },
      /The clone is shallow/,
    ],
    [
      'a subfolder',
      () => {
        const project = clone();
        return { start: path.join(project, 'src', 'orders'), project };
      },
      undefined,
    ],
    [
      'a linked worktree',
      () => {
        const project = path.join(folder(), 'linked');
        git(clone(), 'worktree', 'add', '--quiet', project, '-b', 'ann-example/linked');
        return { start: project, project };
      },
      /linked worktree/,
    ],
    [
      'a submodule',
      () => {
        const outer = clone();
        git(outer, 'submodule', '--quiet', 'add', `file://${origin}`, 'parts/shop');
        git(outer, 'commit', '--quiet', '-m', 'Add a part');
        const project = path.join(outer, 'parts', 'shop');
        return { start: project, project };
      },
      /submodule of/,
    ],
  ];

test.each(enterable)(
  '%s: the run belongs to its repository and plans for files that are there',
  async (_place, make, says) => {
    const { start, project } = make();
    const ended = await charrette(
      ['design', '--auto', '--solo', '--no-branch', '--agents', 'static', 'let customers cancel an order'],
      { cwd: start },
    );
    expect(ended.code, ended.stderr).toBe(0);
    if (says !== undefined) expect(ended.stderr).toMatch(says);
    const [run = ''] = runsOf(project);
    expect(artifactsOf(project, run)['plan.txt']).toContain('`src/orders/order-service.ts`');
    expect(git(project, 'status', '--porcelain', '--', '.', ':!.home', ':!**/.home').trim()).toBe('');
  },
);

describe('a monorepo', () => {
  /** Two packages; the shop is one of them. */
  function monorepo(): string {
    const root = folder();
    const shop = path.join(root, 'packages', 'shop');
    mkdirSync(path.dirname(shop), { recursive: true });
    git(root, 'init', '--quiet', '--initial-branch=main');
    execFileSync('cp', ['-R', origin, shop]);
    execFileSync('rm', ['-rf', path.join(shop, '.git')]);
    mkdirSync(path.join(root, 'packages', 'other'));
    writeFileSync(path.join(root, 'packages', 'other', 'order-service.ts'), 'export class OrderService {}\n');
    git(root, 'add', '--all');
    git(root, 'commit', '--quiet', '-m', 'Two packages');
    return root;
  }
  const words = ['design', '--auto', '--solo', '--no-branch', '--agents', 'static'];

  test('its root is the project, wherever --cwd points', async () => {
    const root = monorepo();
    const cwd = path.join(root, 'packages', 'shop');
    const ended = await charrette([...words, '--cwd', cwd, 'let customers cancel an order'], { cwd: root });
    expect(ended.code, ended.stderr).toBe(0);
    const [run = ''] = runsOf(root);
    expect(artifactsOf(root, run)['plan.txt']).toContain('`packages/shop/src/orders/order-service.ts`');
  });

  test('a package with a .charrette folder is a separate project with its own paths', async () => {
    const root = monorepo();
    const shop = path.join(root, 'packages', 'shop');
    mkdirSync(path.join(shop, '.charrette'));
    const ended = await charrette([...words, 'let customers cancel an order'], { cwd: shop });
    expect(ended.code, ended.stderr).toBe(0);
    const [run = ''] = runsOf(shop);
    const plan = artifactsOf(shop, run)['plan.txt'] ?? '';
    expect(plan).toContain('`src/orders/order-service.ts`');
    expect(plan).not.toContain('packages/');
  });

  test('its Charrette files leave the tree clean, and drift uses its own paths', async () => {
    const root = monorepo();
    git(root, 'config', 'user.name', 'Ann Example');
    const shop = path.join(root, 'packages', 'shop');
    mkdirSync(path.join(shop, '.charrette'));
    writeFileSync(path.join(shop, 'charrette.config.json'), '{"padding": true}\n');
    writeFileSync(path.join(root, '.git', 'info', 'exclude'), '.home\n');
    const onBranch = words.filter((word) => word !== '--no-branch');
    const ended = await charrette([...onBranch, 'let customers cancel an order'], { cwd: shop });
    expect(ended.code, ended.stderr).toBe(0);
    expect((await charrette(['plan', 'drift'], { cwd: shop })).code).toBe(0);
    writeFileSync(path.join(shop, 'src', 'orders', 'order-service.ts'), '// changed\n');
    writeFileSync(path.join(root, 'packages', 'other', 'order-service.ts'), '// changed\n');
    const drifted = await charrette(['plan', 'drift'], { cwd: shop });
    expect(drifted.code).toBe(8);
    expect(drifted.stdout).toContain('  modified src/orders/order-service.ts (in the plan)\n');
    expect(drifted.stdout).not.toContain('packages/');
  });
});

test('works on a dirty tree and a detached HEAD with --no-branch, and leaves them unchanged', async () => {
  const place = clone();
  git(place, 'checkout', '--quiet', '--detach');
  writeFileSync(path.join(place, 'README.md'), 'mine\n');
  const ended = await charrette(
    ['design', '--auto', '--solo', '--no-branch', '--agents', 'static', 'let customers cancel an order'],
    { cwd: place },
  );
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr).toContain('HEAD is detached.');
  expect(readFileSync(path.join(place, 'README.md'), 'utf8')).toBe('mine\n');
});

const words = ['design', '--auto', '--no-branch', '--json', '--agents', 'static', 'x'];

test.skipIf(skipsBecause(process.getuid?.() === 0, 'root can write to a read-only directory'))(
  'a read-only directory is named, and nothing is left there',
  async () => {
    const place = clone();
    chmodSync(place, 0o555);
    const ended = await charrette([...words.slice(0, 1), '--cwd', place, ...words.slice(1)], {
      cwd: folder(),
    });
    expect(ended.code).toBe(5);
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: 'permission-denied' } });
  },
);

const jailer = optionalProgram('bubblewrap');

test.skipIf(jailer === undefined)('reports a read-only disk and leaves nothing there', () => {
  const place = clone();
  const jail = ['--bind', '/', '/', '--dev-bind', '/dev', '/dev', '--ro-bind', place, place];
  const ended = spawnSync(jailer ?? '', [...jail, process.execPath, program, ...words], {
    cwd: place,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder() },
  });
  expect(ended.status, ended.stderr).toBe(5);
  const { error } = JSON.parse(ended.stdout) as { error: { code: string; message: string; fix: string } };
  expect(error.code).toBe('permission-denied');
  expect(error.message).toContain(`${place} cannot be written to`);
  expect(error.fix).toContain('Make the folder writable');
  expect(existsSync(path.join(place, '.charrette'))).toBe(false);
});
