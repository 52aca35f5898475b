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
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemPath } from '../../test/support/optional-programs.ts';
import { isRecord, parseJson } from '../base/safe-json.ts';
import type { Protocol } from '../base/schema/calls.ts';
import type { Driver } from './drivers/driver.ts';
import { findBubblewrap } from './jail.ts';
import type { AgentTask } from './port.ts';
import { dropOrphanedLogin, holdLogin, loginVariables } from './private-home.ts';
import { createAgent, drivers } from './registry.ts';
import type { World } from './settings.ts';

let root: string;
let user: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'logins-'));
  user = path.join(root, 'user');
  mkdirSync(user);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function plant(file: string, text: string, base = user): void {
  mkdirSync(path.dirname(path.join(base, file)), { recursive: true });
  writeFileSync(path.join(base, file), text);
}

const token = (value: string) => JSON.stringify({ token: value });

/** Replaces an entry of the user's HOME by a link. */
function relink(place: string, target: string): void {
  rmSync(place, { recursive: true });
  symlinkSync(path.join(user, target), place);
}

const world = (environment: World['environment'] = {}, jail: World['jail'] = 'auto'): World => ({
  environment: { PATH: systemPath, ...environment },
  home: user,
  platform: process.platform,
  architecture: process.arch,
  jail,
});

/** Prints everything below its HOME, its whole environment, and what it can see of the user's HOME. */
const spy = (home: string) => `#!${process.execPath}
const { readdirSync, readFileSync, statSync } = require('node:fs');
const files = {};
for (const name of readdirSync(process.env.HOME, { recursive: true })) {
  const file = process.env.HOME + '/' + name;
  if (statSync(file).isFile()) files[name] = readFileSync(file, 'utf8');
}
let seen = [];
try { seen = readdirSync(${JSON.stringify(home)}); } catch {}
require('node:fs').writeFileSync(process.env.HOME + '/spied.json', JSON.stringify({ files, environment: process.env, seen }));
`;

const programDrivers = (Object.entries(drivers) as [Protocol, Driver][]).filter(
  ([, driver]) => driver.programs.length > 0,
);

describe.each(['auto', 'off'] as const)("a user's own login, jail %s", (jail) => {
  // Without the jail the same code runs; two agents are enough to see it.
  test.each(programDrivers.slice(0, jail === 'auto' ? undefined : 2))(
    'L-311 %s: reaches the agent, and nothing else of HOME or environment does',
    async (protocol, driver) => {
      for (const file of driver.login.files) plant(file.path, `login of ${protocol} in ${file.path}`);
      plant('.ssh/id_ed25519', 'PRIVATE');
      plant('.netrc', 'PRIVATE');
      plant('.aws/credentials', 'PRIVATE');
      plant('.claude/history.jsonl', 'PRIVATE');
      plant('.codex/sessions/old.jsonl', 'PRIVATE');
      const bin = path.join(root, 'bin');
      plant(driver.programs[0] ?? '', spy(user), bin);
      chmodSync(path.join(bin, driver.programs[0] ?? ''), 0o755);

      const login = Object.fromEntries(driver.login.variables.map((name) => [name, `value of ${name}`]));
      const environment = {
        ...login,
        PATH: `${bin}:${systemPath}`,
        AWS_SECRET_ACCESS_KEY: 'PRIVATE',
        DATABASE_URL: 'PRIVATE',
        SSH_AUTH_SOCK: 'PRIVATE',
      };
      const laneDirectory = path.join(root, 'lane');
      const project = path.join(root, 'project');
      mkdirSync(laneDirectory);
      mkdirSync(project);
      const agent = await createAgent({ id: protocol, protocol }, world(environment, jail));
      const task: AgentTask = {
        task: 'sketch',
        run: 'r',
        seat: 's',
        attempt: 1,
        prompt: 'Look around.',
        directory: project,
        access: 'read',
        limits: { wallMs: 20_000, idleMs: 20_000 },
        laneDirectory,
      };
      await agent.call(task, { signal: new AbortController().signal, onEvent: () => {} });

      const spied = parseJson(readFileSync(path.join(laneDirectory, 'home/spied.json'), 'utf8'), 'spied');
      if (!isRecord(spied) || !isRecord(spied['files']) || !isRecord(spied['environment']))
        throw new Error('no report');
      for (const file of driver.login.files) {
        expect(spied['files'][file.path]).toBe(`login of ${protocol} in ${file.path}`);
      }
      for (const name of driver.login.variables) expect(spied['environment'][name]).toBe(`value of ${name}`);
      expect(JSON.stringify(spied)).not.toContain('PRIVATE');
      if (findBubblewrap(world(environment, jail)) !== undefined) expect(spied['seen']).toEqual([]);
    },
  );
});

describe('login files', () => {
  const { login } = drivers.codex;

  test('a moved configuration folder is found through its variable, and the copy is gone afterwards', async () => {
    plant('auth.json', 'moved', path.join(root, 'elsewhere'));
    const home = path.join(root, 'home');
    const copy = path.join(home, '.codex/auth.json');
    const held = await holdLogin(login, world({ CODEX_HOME: path.join(root, 'elsewhere') }), home);
    expect(readFileSync(copy, 'utf8')).toBe('moved');
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(held.files).toEqual(['.codex/auth.json']);
    await held.release();
    expect(existsSync(copy)).toBe(false);
  });

  test('a renewed token returns to the user, through a link, unless another process renewed it', async () => {
    plant('dotfiles/auth.json', token('old'));
    mkdirSync(path.join(user, '.codex'));
    symlinkSync(path.join(user, 'dotfiles/auth.json'), path.join(user, '.codex/auth.json'));
    const homes = [path.join(root, 'one'), path.join(root, 'two')] as const;
    const [one, two] = await Promise.all(homes.map((home) => holdLogin(login, world(), home)));
    plant('.codex/auth.json', token('renewed by one'), homes[0]);
    plant('.codex/auth.json', token('renewed by two'), homes[1]);
    expect(await one?.release()).toEqual({ returned: [path.join(user, '.codex/auth.json')], refused: [] });
    expect(await two?.release()).toEqual({ returned: [], refused: [] });
    expect(readFileSync(path.join(user, 'dotfiles/auth.json'), 'utf8')).toBe(token('renewed by one'));
  });

  test('no other user can read a renewed token, not even while it is written', async () => {
    plant('.codex/auth.json', token('old'));
    const folder = path.join(user, '.codex');
    chmodSync(path.join(folder, 'auth.json'), 0o600);
    const home = path.join(root, 'home');
    const held = await holdLogin(login, world(), home);
    writeFileSync(path.join(home, '.codex/auth.json'), token('renewed'));
    const seen = new Set<string>();
    const look = () => {
      for (const name of readdirSync(folder)) {
        // It may get its last name in between.
        const facts = statSync(path.join(folder, name), { throwIfNoEntry: false });
        if (facts !== undefined) seen.add(facts.mode.toString(8));
      }
    };
    const again = (): NodeJS.Immediate =>
      setImmediate(() => {
        look();
        next = again();
      });
    let next = again();
    await held.release();
    clearImmediate(next);
    look();
    expect(readFileSync(path.join(folder, 'auth.json'), 'utf8')).toBe(token('renewed'));
    expect([...seen]).toEqual(['100600']);
  });

  const key = '-----BEGIN OPENSSH PRIVATE KEY-----';
  test.each<[string, (home: string) => void]>([
    ['a link to a key', (home) => relink(path.join(home, '.codex/auth.json'), '.ssh/id_ed25519')],
    ['a link to JSON of another form', (home) => relink(path.join(home, '.codex/auth.json'), 'other.json')],
    ['a link to JSON of the same form', (home) => relink(path.join(home, '.codex/auth.json'), 'same.json')],
    ['a folder that is a link', (home) => relink(path.join(home, '.codex'), 'codex-of-another')],
    ['text', (home) => writeFileSync(path.join(home, '.codex/auth.json'), key)],
    ['a list', (home) => writeFileSync(path.join(home, '.codex/auth.json'), '[]')],
    ['other keys', (home) => writeFileSync(path.join(home, '.codex/auth.json'), '{"more":1}')],
    ['nothing', (home) => writeFileSync(path.join(home, '.codex/auth.json'), '')],
    [
      'far too much',
      (home) => writeFileSync(path.join(home, '.codex/auth.json'), `{"token":"${'x'.repeat(5e6)}"}`),
    ],
  ])("keeps the user's login and reports it when the agent leaves %s in its place", async (_, leave) => {
    plant('.codex/auth.json', token('old'));
    plant('.ssh/id_ed25519', key);
    plant('other.json', '{"private":1}');
    plant('same.json', token('of another'));
    plant('codex-of-another/auth.json', token('of another'));
    const home = path.join(root, 'home');
    const file = path.join(user, '.codex/auth.json');
    const held = await holdLogin(login, world(), home);
    leave(home);
    const refused = [{ file, reason: expect.stringMatching(/^its copy/) }];
    expect(await held.release()).toEqual({ returned: [], refused });
    expect(readFileSync(file, 'utf8')).toBe(token('old'));
    // Nor is anything lost that the links led to, now or when the next call puts its copy there.
    await holdLogin(login, world(), home).then(
      ({ release }) => release(),
      () => {},
    );
    await dropOrphanedLogin(login, home);
    expect(readFileSync(path.join(user, '.ssh/id_ed25519'), 'utf8')).toBe(key);
    expect(readFileSync(path.join(user, 'same.json'), 'utf8')).toBe(token('of another'));
    expect(readFileSync(path.join(user, 'codex-of-another/auth.json'), 'utf8')).toBe(token('of another'));
  });

  test('F-13 branches that share a HOME neither overwrite nor remove what another still uses', async () => {
    plant('.codex/auth.json', token('old'));
    const home = path.join(root, 'shared');
    const copy = path.join(home, '.codex/auth.json');
    const one = await holdLogin(login, world(), home);
    writeFileSync(copy, token('renewed'));
    const two = await holdLogin(login, world(), home);
    expect(readFileSync(copy, 'utf8')).toBe(token('renewed'));
    await one.release();
    expect(existsSync(copy)).toBe(true);
    await two.release();
    expect(existsSync(copy)).toBe(false);
    expect(readFileSync(path.join(user, '.codex/auth.json'), 'utf8')).toBe(token('renewed'));
  });

  test('a copy that a killed command left is removed, unless it is in use', async () => {
    plant('.codex/auth.json', 'old');
    const home = path.join(root, 'lane/home');
    const held = await holdLogin(login, world(), home);
    await dropOrphanedLogin(login, home);
    expect(existsSync(path.join(home, '.codex/auth.json'))).toBe(true);
    await held.release();
    plant('.codex/auth.json', 'left behind', home);
    await dropOrphanedLogin(login, home);
    expect(existsSync(path.join(home, '.codex/auth.json'))).toBe(false);
  });

  test('does not touch a folder in the place of a login', async () => {
    mkdirSync(path.join(user, '.codex/auth.json'), { recursive: true });
    expect((await holdLogin(login, world(), path.join(root, 'home'))).files).toEqual([]);
  });

  test('variables of a cloud platform travel only with the switch that asks for it', () => {
    const environment = { AWS_REGION: 'eu', AWS_SECRET_ACCESS_KEY: 'x', ANTHROPIC_API_KEY: '' };
    expect(loginVariables(drivers.claude.login, environment)).toEqual({});
    expect(loginVariables(drivers.claude.login, { ...environment, CLAUDE_CODE_USE_BEDROCK: '1' })).toEqual({
      CLAUDE_CODE_USE_BEDROCK: '1',
      AWS_REGION: 'eu',
      AWS_SECRET_ACCESS_KEY: 'x',
    });
  });
});
