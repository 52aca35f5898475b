import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { optionalProgram, skipsBecause, systemPath } from '../../test/support/optional-programs.ts';
import { parseJson } from '../base/safe-json.ts';
import { completeRepository, jailedCommand } from './jail.ts';
import type { AgentTask } from './port.ts';
import { createAgent } from './registry.ts';
import type { AgentSettings, World } from './settings.ts';

const looking = path.join(import.meta.dirname, 'fixtures/agents/codex-looks.mjs');
let root: string;
let user: string;
let project: string;
let records: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'sight-'));
  user = path.join(root, 'user');
  project = path.join(user, 'code/shop');
  records = path.join(project, '.charrette');
  plant(path.join(project, 'README.md'), 'the shop');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function plant(file: string, text: string): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const world = (environment: World['environment'] = {}): World => ({
  environment: { PATH: systemPath, ...environment },
  home: user,
  platform: process.platform,
  architecture: process.arch,
  jail: 'auto',
});

type Deed = readonly ['read' | 'list' | 'write' | 'connect', string];

/** What an agent in a separate lane can see. */
async function look(
  deeds: readonly Deed[],
  more: Partial<AgentTask> & {
    lane?: string;
    command?: AgentSettings['command'];
    environment?: World['environment'];
  } = {},
): Promise<unknown> {
  const { lane = 'second', command = [process.execPath, looking], environment, ...rest } = more;
  const laneDirectory = path.join(records, 'runs/r1/lanes', lane);
  mkdirSync(laneDirectory, { recursive: true });
  const agent = await createAgent({ id: 'looks', protocol: 'codex', command }, world(environment));
  const result = await agent.call(
    {
      task: 'vote',
      run: 'r1',
      seat: lane,
      attempt: 1,
      prompt: JSON.stringify(deeds),
      directory: project,
      access: 'read',
      limits: { wallMs: 20_000, idleMs: 20_000 },
      laneDirectory,
      ...rest,
    },
    { signal: new AbortController().signal, onEvent: () => {} },
  );
  expect(result).toMatchObject({ kind: 'ok', confinement: 'bubblewrap' });
  return parseJson(result.text, 'answer');
}

const bubblewrap = optionalProgram('bubblewrap');
const self = process.getuid?.() ?? 0;
const otherUser = 65_534;
/** Who tries to break out: root also as another user, where that one may use bubblewrap and reach the folders of the tests. */
const users = self !== 0 ? [self] : canBeJailed(otherUser) ? [0, otherUser] : [0];

function canBeJailed(who: number): boolean {
  if (bubblewrap === undefined) return false;
  const args = ['--ro-bind', '/', '/', 'test', '-x', tmpdir()];
  const { status } = spawnSync(bubblewrap, args, { uid: who, gid: who, env: { PATH: systemPath } });
  return !skipsBecause(status !== 0, `user ${who} cannot use bubblewrap in ${tmpdir()}`);
}

const canUnshare = spawnSync('unshare', ['-Urm', 'true']).status === 0;

/** What lines of a shell say in the jail of a user. */
function runInJail(who: number, access: 'read' | 'write', lines: readonly string[]): string {
  const home = path.join(records, 'runs/r1/lanes/second/home');
  mkdirSync(home, { recursive: true });
  if (self === 0) execFileSync('chown', ['-R', `${who}:${who}`, root]);
  const [program = '', ...args] = jailedCommand(bubblewrap ?? '', {
    argv: ['/bin/sh', '-c', lines.join('\n')],
    program: ['/bin/sh'],
    directory: project,
    home,
    access,
    guard: 'disk',
    userHome: user,
    records,
    search: systemPath,
    user: who,
  });
  const { stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    ...(self === 0 ? { uid: who, gid: who } : {}),
  });
  return `${stdout}${stderr}`;
}

describe.skipIf(bubblewrap === undefined)('what an agent can do to the bubblewrap it is in', () => {
  describe.for(users)('as user %i', (who) => {
    test.for([
      ['umount', 'umount -l RECORDS; TRY'],
      [
        'remount',
        'mount -o remount,rw,bind /; mount -o remount,rw,bind ROOT; mount -o remount,rw,bind PROJECT; TRY',
      ],
      ['unshare', 'unshare -Urm sh -c "mount -o remount,rw,bind PROJECT; umount -l RECORDS; TRY"'],
    ] as const)('no %s shows what is hidden or lets a reader write', ([, attempt]) => {
      const vote = plant(path.join(records, 'runs/r1/lanes/first/result.json'), 'the other votes NO');
      const planted = path.join(project, 'planted');
      const line = attempt
        .replaceAll('TRY', `cat ${vote}; echo x > ${planted}; echo tried`)
        .replaceAll('RECORDS', records)
        .replaceAll('PROJECT', project)
        .replaceAll('ROOT', root);
      const said = runInJail(who, 'read', [line, 'echo ended']);
      expect(said).toContain('ended');
      if (!line.startsWith('unshare') || canUnshare) expect(said).toContain('tried');
      expect(said).not.toContain('the other votes NO');
      expect(existsSync(planted)).toBe(false);
    });

    test('nothing is left of what root may but work on files of others', () => {
      const said = runInJail(who, 'read', ['grep -E "CapPrm|CapEff" /proc/self/status']);
      const left = who === 0 ? '000000008000000b' : '0000000000000000';
      expect(said).toBe(`CapPrm:\t${left}\nCapEff:\t${left}\n`);
    });
  });

  describe('to a repository that a writer works in', () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@e', '-c', 'safe.directory=*', ...args], {
        cwd: project,
        encoding: 'utf8',
      });
    const commit =
      'git -c user.name=n -c user.email=n@e -c safe.directory="*" commit -q --allow-empty -m inside && echo committed';
    const evil = "printf '[core]\\n\\tfsmonitor = evil\\n' >>";

    test.for(users)('user %i can replace neither it nor what git runs', (who) => {
      git('init', '-q');
      git('commit', '-q', '--allow-empty', '-m', 'begin');
      git('worktree', 'add', '-q', '--detach', path.join(root, 'other'));
      rmSync(path.join(project, '.git/hooks'), { recursive: true });
      completeRepository(project);
      const config = path.join(project, '.git/config');
      const before = readFileSync(config, 'utf8');
      const said = runInJail(who, 'write', [
        'mv .git .old; cp -r .git .new && mv -T .new .git',
        `${evil} .git/config; mv .git/config .git/old; git config core.fsmonitor evil`,
        'mv .git/hooks .git/old; mkdir -p .git/hooks; echo evil > .git/hooks/post-checkout',
        'mv .git/worktrees .git/old; echo ../evil > .git/worktrees/other/commondir',
        'rm -rf .git; mkdir .git; echo ended',
      ]);
      expect(said).toContain('ended');
      expect(existsSync(path.join(project, '.old'))).toBe(false);
      expect(readFileSync(config, 'utf8')).toBe(before);
      expect(readdirSync(path.join(project, '.git/hooks'))).toEqual([]);
      expect(readFileSync(path.join(project, '.git/worktrees/other/commondir'), 'utf8')).toBe('../..\n');
    });

    test('committing still works', () => {
      git('init', '-q');
      expect(runInJail(self, 'write', [commit])).toBe('committed\n');
      expect(git('log', '--format=%s')).toBe('inside\n');
    });

    test('the file in a checkout that names its repository stays', () => {
      git('init', '-q');
      git('commit', '-q', '--allow-empty', '-m', 'begin');
      git('worktree', 'add', '-q', '--detach', path.join(user, 'code/checkout'));
      const repository = project;
      project = path.join(user, 'code/checkout');
      const before = readFileSync(path.join(project, '.git'), 'utf8');
      runInJail(self, 'write', [
        `echo gitdir: ${repository}/evil > .git`,
        'mv .git old; rm -f .git; mkdir .git',
      ]);
      expect(readFileSync(path.join(project, '.git'), 'utf8')).toBe(before);
    });
  });

  test.skipIf(skipsBecause(self !== 0, 'only root can give files away'))(
    'root still writes, gives away and marks files of others',
    () => {
      const file = plant(path.join(project, 'theirs.txt'), 'theirs');
      const own = path.join(project, 'own.txt');
      const said = runInJail(0, 'write', [
        `chown ${otherUser}:${otherUser} ${file} && chmod 600 ${file} && echo changed > ${file} && cat ${file}`,
        `echo own > ${own} && chown ${otherUser} ${own} && chmod 640 ${own}`,
      ]);
      expect(said).toBe('changed\n');
      expect(statSync(file)).toMatchObject({ uid: otherUser, mode: 0o100600 });
      expect(statSync(own)).toMatchObject({ uid: otherUser, mode: 0o100640 });
    },
  );
});

describe.skipIf(bubblewrap === undefined)('what an agent sees in bubblewrap', () => {
  test("nothing of other lanes: no login, no vote, no proposer's name; the project and its settings stay", async () => {
    const lanes = path.join(records, 'runs/r1/lanes');
    const login = plant(path.join(lanes, 'first/home/.claude/.credentials.json'), '{"token":"SECRET"}');
    const vote = plant(path.join(lanes, 'vote-x/result.json'), 'YES');
    const proposers = plant(path.join(records, 'runs/r1/artifacts/ballot-proposers.json'), 'arch');
    const settings = plant(path.join(records, 'config.json'), '{}');
    const prompt = plant(path.join(records, 'prompts/role.md'), 'Be kind.');
    const seen = await look([
      ['read', login],
      ['read', vote],
      ['read', proposers],
      ['list', records],
      ['read', settings],
      ['read', prompt],
      ['read', path.join(project, 'README.md')],
      ['write', path.join(records, 'planted')],
    ]);
    expect(seen).toEqual([
      'ENOENT',
      'ENOENT',
      'ENOENT',
      'config.json prompts runs',
      '{}',
      'Be kind.',
      'the shop',
      'EROFS',
    ]);
  });

  test('nor of the outer run from a run inside it, and not through a link to the project', async () => {
    const vote = plant(path.join(records, 'runs/r1/lanes/vote-x/result.json'), 'YES');
    const inside = path.join(records, 'runs/r1/heavy/.charrette/runs/heavy/lanes/a');
    mkdirSync(inside, { recursive: true });
    expect(await look([['read', vote]], { laneDirectory: inside })).toEqual(['ENOENT']);
    const link = path.join(user, 'link');
    symlinkSync(project, link);
    const seen = await look(
      [
        ['read', path.join(link, 'README.md')],
        ['read', path.join(link, '.charrette/runs/r1/lanes/vote-x/result.json')],
      ],
      { directory: link, laneDirectory: path.join(link, '.charrette/runs/r1/lanes/second') },
    );
    expect(seen).toEqual(['the shop', 'ENOENT']);
  });

  test('a writer in a checkout has its checkout, the repository and what it was given, not its neighbours', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@e', ...args], { cwd: project });
    git('init', '-q');
    plant(path.join(project, 'packages/a/a.ts'), 'a');
    git('add', 'README.md', 'packages');
    git('commit', '-qm', 'begin');
    const checkouts = path.join(records, 'runs/r1/worktrees');
    for (const name of ['one', 'two']) git('worktree', 'add', '-q', '--detach', path.join(checkouts, name));
    const brief = plant(path.join(records, 'runs/r1/artifacts/brief.md'), 'the brief');
    plant(path.join(records, 'runs/r1/artifacts/tally.md'), 'the tally');
    const directory = path.join(checkouts, 'one/packages/a');
    const seen = await look(
      [
        ['list', checkouts],
        ['read', path.join(checkouts, 'one/README.md')],
        ['read', path.join(project, '.git/HEAD')],
        ['read', path.join(project, 'README.md')],
        ['read', brief],
        ['list', path.dirname(brief)],
        ['write', path.join(directory, 'a.ts')],
        ['write', path.join(checkouts, 'one/README.md')],
      ],
      { directory, access: 'write', given: [brief] },
    );
    expect(seen).toEqual([
      'one',
      'the shop',
      readFileSync(path.join(project, '.git/HEAD'), 'utf8'),
      'the shop',
      'the brief',
      'brief.md',
      'written',
      'EROFS',
    ]);
    expect(readFileSync(path.join(directory, 'a.ts'), 'utf8')).toBe('written');
  });

  test('hides other projects, although the arguments name their directory', async () => {
    const secret = plant(path.join(user, 'code/bank/.env'), 'SECRET');
    expect(
      await look([
        ['read', secret],
        ['list', path.join(user, 'code')],
      ]),
    ).toEqual(['ENOENT', 'shop']);
  });

  test('keeps a program in HOME, a script next to others, and what its configuration names readable', async () => {
    const script = plant(path.join(user, 'agent.mjs'), readFileSync(looking, 'utf8'));
    const folder = path.join(user, 'plug-ins');
    plant(path.join(folder, 'one.js'), 'a plug-in');
    plant(path.join(user, 'diary.txt'), 'SECRET');
    const seen = await look(
      [
        ['list', user],
        ['read', path.join(folder, 'one.js')],
      ],
      {
        command: [process.execPath, script, '--plug-ins', folder],
      },
    );
    expect(seen).toEqual(['agent.mjs code plug-ins', 'a plug-in']);
  });

  test('shows the interpreter that a script names, with the libraries of its environment', async () => {
    const environment = path.join(user, 'tools/environment');
    const interpreter = path.join(environment, 'bin/interpreter');
    plant(path.join(environment, 'pyvenv.cfg'), '');
    const library = plant(path.join(environment, 'lib/one.py'), 'a library');
    plant(interpreter, `#!/bin/sh\nexec ${process.execPath} ${looking}\n`);
    chmodSync(interpreter, 0o755);
    const script = plant(path.join(user, 'bin/agent'), `#!${interpreter}\n`);
    chmodSync(script, 0o755);
    const command = [script, process.execPath, looking];
    expect(await look([['read', library]], { command })).toEqual(['a library']);
  });

  test('a script that a shell starts has the packages around it', async () => {
    const packages = path.join(user, 'tools/node_modules');
    const other = plant(path.join(packages, 'other/index.js'), 'another package');
    const script = plant(path.join(packages, 'agent/index.mjs'), readFileSync(looking, 'utf8'));
    const command = ['/bin/sh', '-c', 'exec "$@"', 'start', process.execPath, script];
    expect(await look([['read', other]], { command })).toEqual(['another package']);
  });

  test("keeps the certificates of the user's network readable, but not their neighbours", async () => {
    const authority = plant(path.join(user, 'work/authority.pem'), 'one');
    const [first, second] = ['first', 'second'].map((name) => plant(path.join(user, name, 'a.pem'), name));
    const secret = plant(path.join(user, 'work/secret.key'), 'SECRET');
    const environment = {
      NODE_EXTRA_CA_CERTS: authority,
      SSL_CERT_DIR: `${path.join(user, 'first')}:${path.join(user, 'second')}`,
    };
    const files = [authority, first, second, secret];
    const seen = await look(
      files.map((file) => ['read', file ?? ''] as const),
      { environment },
    );
    expect(seen).toEqual(['one', 'first', 'second', 'ENOENT']);
  });

  test('servers that listen below /tmp cannot be reached; the place can be written without a trace', async () => {
    const place = mkdtempSync(path.join(tmpdir(), 'server-'));
    const socket = path.join(place, 'default');
    const server = createServer().listen(socket);
    try {
      const seen = await look([
        ['connect', socket],
        ['list', '/run'],
        ['write', '/tmp/trace'],
      ]);
      expect(seen).toEqual(['ENOENT', expect.not.stringMatching(/docker|user|systemd/), 'written']);
    } finally {
      server.close();
      rmSync(place, { recursive: true });
    }
  });
});
