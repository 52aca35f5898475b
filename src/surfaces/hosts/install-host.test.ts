import {
  chmodSync,
  existsSync,
  lstatSync,
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
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hostParts } from './host-parts.ts';
import { installHost, removeHost } from './install-host.ts';
import { addSettings, removeSettings } from './json-edit.ts';
import { pluginForms } from './plugins.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'charrette-host-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (file: string, text: string) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
};
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
function everything(): Record<string, string> {
  return Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(path.join(root, name)).isFile() && !name.startsWith('.charrette'))
      .sort()
      .map((name) => [name, read(name)]),
  );
}
const where = (host: string, dryRun = false) => ({ root, host, dryRun });
const parts = (host: (typeof pluginForms)[number], version = '1.0.0') => hostParts(host, version);

/** Settings as people have them: comments, tabs, own hooks and servers. */
const own: Record<string, string> = {
  '.claude/skills/mine/SKILL.md': 'mine\n',
  '.codex/hooks.json': '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"./mine.sh"}]}]}}',
  '.cursor/hooks.json':
    '{\n\t"version": 1,\n\t"hooks": {\n\t\t"stop": [{ "command": "./mine.sh" }]\n\t}\n}\n',
  '.cursor/mcp.json': '{\r\n  "mcpServers": { "mine": { "command": "mine" } }\r\n}\r\n',
  '.gemini/settings.json':
    '{\n  // my theme\n  "theme": "dark",\n  "hooks": { "AfterAgent": [ { "hooks": [ { "type": "command", "command": "mine" } ] } ] },\n}\n',
  '.agents/skills/mine/SKILL.md': 'mine\n',
};

test.each(pluginForms)(
  '%s: setting up twice is setting up once, and removing brings back every byte',
  async (host) => {
    for (const [file, text] of Object.entries(own)) put(file, text);
    const before = everything();
    const first = await installHost(parts(host), where(host));
    expect(first.created.length).toBeGreaterThan(0);
    expect(first.kept).toEqual([]);
    const installed = everything();
    for (const file of Object.keys(own)) {
      // Nothing of the user's is gone from a shared file.
      if (file.endsWith('.json')) expect(installed[file]).toContain('mine');
      else expect(installed[file]).toBe(before[file]);
    }
    expect(await installHost(parts(host), where(host))).toMatchObject({
      created: [],
      replaced: [],
      kept: [],
    });
    expect(everything()).toEqual(installed);
    await removeHost(parts(host), where(host));
    expect(everything()).toEqual(before);
    expect(await removeHost(parts(host), where(host))).toMatchObject({ removed: [], replaced: [] });
  },
);

test.each(pluginForms)('%s: in an empty project removing leaves no trace', async (host) => {
  await installHost(parts(host), where(host));
  await removeHost(parts(host), where(host));
  expect(readdirSync(root)).toEqual([]);
});

test('what else is in the project’s own folder stays when the last record goes', async () => {
  put('.charrette/config.json', '{}');
  await installHost(parts('codex'), where('codex'));
  await removeHost(parts('codex'), where('codex'));
  expect(readdirSync(path.join(root, '.charrette')).sort()).toEqual(['.gitignore', 'config.json']);
});

const forUser = (host: string) => ({ ...where(host), userFolder: path.join(root, '.config', 'charrette') });

test('setting a host up for a user makes no project of the home directory, and removing leaves no trace', async () => {
  await installHost(parts('codex'), forUser('codex'));
  expect(readdirSync(root).sort()).toEqual(['.agents', '.codex', '.config']);
  expect((await installHost(parts('codex'), forUser('codex'))).replaced).toEqual([]);
  await removeHost(parts('codex'), forUser('codex'));
  // The folder of other programs is theirs.
  expect(everything()).toEqual({});
  expect(readdirSync(root)).toEqual(['.config']);
});

test('records of a user in the home directory are found, moved all at once, and leave nothing there', async () => {
  put('.codex/hooks.json', own['.codex/hooks.json'] ?? '');
  // As earlier versions did it for a user.
  for (const host of ['codex', 'gemini'] as const) await installHost(parts(host), where(host));
  put('.charrette/hosts/session.json', '{}');
  const skill = '.agents/skills/charrette-design/SKILL.md';
  put(skill, 'edited\n');
  const { kept } = await installHost(parts('codex'), forUser('codex'));
  expect(kept).toEqual([skill]);
  expect(existsSync(path.join(root, '.charrette'))).toBe(false);
  expect(readdirSync(path.join(root, '.config', 'charrette'))).toEqual([
    'host-codex.json',
    'host-gemini.json',
  ]);
  for (const host of ['codex', 'gemini'] as const) await removeHost(parts(host), forUser(host));
  expect(everything()).toEqual({ '.codex/hooks.json': own['.codex/hooks.json'], [skill]: 'edited\n' });
});

test('removing for a user takes away what an earlier version left in the home directory', async () => {
  await installHost(parts('codex'), where('codex'));
  await removeHost(parts('codex'), forUser('codex'));
  expect(existsSync(path.join(root, '.charrette'))).toBe(false);
  put('.charrette/.gitignore', '*\n');
  await removeHost(parts('codex'), forUser('codex'));
  expect(existsSync(path.join(root, '.charrette'))).toBe(false);
  put('.charrette/runs/20260101-one/run.json', '{}');
  await installHost(parts('codex'), forUser('codex'));
  expect(existsSync(path.join(root, '.charrette', 'runs'))).toBe(true);
});

test('a comment that the user added after setting up survives the removal', async () => {
  put('.gemini/settings.json', own['.gemini/settings.json'] ?? '');
  await installHost(parts('gemini'), where('gemini'));
  put('.gemini/settings.json', read('.gemini/settings.json').replace('// my theme', '// my own theme'));
  await removeHost(parts('gemini'), where('gemini'));
  expect(read('.gemini/settings.json')).toContain('// my own theme');
  expect(read('.gemini/settings.json')).not.toContain('charrette');
  expect(read('.gemini/settings.json')).toContain('"command": "mine"');
});

test('a newer version replaces what was not edited, keeps what was, and removes obsolete files', async () => {
  await installHost(parts('claude'), where('claude'));
  const skill = '.claude/skills/charrette/skills/design/SKILL.md';
  put(skill, `${read(skill)}\nMy own addition.\n`);
  const outcome = await installHost(parts('claude', '2.0.0'), where('claude'));
  expect(outcome.kept).toEqual([skill]);
  expect(outcome.replaced).toEqual(['.claude/skills/charrette/.claude-plugin/plugin.json']);
  const fewer = parts('claude', '2.0.0');
  const without = {
    ...fewer,
    files: new Map([...fewer.files].filter(([file]) => !file.includes('/context/'))),
  };
  expect((await installHost(without, where('claude'))).removed).toEqual([
    '.claude/skills/charrette/skills/context/SKILL.md',
  ]);
  expect((await removeHost(without, where('claude'))).kept).toEqual([skill]);
  expect(read(skill)).toContain('My own addition.');
});

/** One entry of the user's with a hook of ours next to theirs, as a user who tidies up writes it. */
const shared = (command: string) => ({
  matcher: 'startup',
  hooks: [
    { type: 'command', command: './before.sh' },
    { type: 'command', command },
    { type: 'command', command: './after.sh', timeout: 5 },
  ],
});
const theirs = { matcher: 'startup', hooks: [shared('').hooks[0], shared('').hooks[2]] };

test('the user’s own commands in an entry with ours survive an update and a removal', async () => {
  const hooks = { SessionStart: [shared('/old/charrette hook session-start --host codex')] };
  put('.codex/hooks.json', JSON.stringify({ hooks }));
  await installHost(parts('codex'), where('codex'));
  const updated = JSON.parse(read('.codex/hooks.json')).hooks.SessionStart;
  expect(updated[0]).toEqual(theirs);
  expect(JSON.stringify(updated)).not.toContain('/old/charrette');
  put('.codex/hooks.json', `${read('.codex/hooks.json')}\n`);
  await removeHost(parts('codex'), where('codex'));
  expect(JSON.parse(read('.codex/hooks.json'))).toEqual({ hooks: { SessionStart: [theirs] } });
});

test('a command that the user put into our entry stays there, and ours are not added again', async () => {
  await installHost(parts('codex'), where('codex'));
  const settings = JSON.parse(read('.codex/hooks.json'));
  settings.hooks.Stop[0].hooks.push({ type: 'command', command: 'echo "the charrette hook is done"' });
  put('.codex/hooks.json', JSON.stringify(settings));
  expect((await installHost(parts('codex'), where('codex'))).replaced).toEqual([]);
  await removeHost(parts('codex'), where('codex'));
  const [stop] = JSON.parse(read('.codex/hooks.json')).hooks.Stop;
  expect(stop.hooks).toEqual([{ type: 'command', command: 'echo "the charrette hook is done"' }]);
});

test('removing leaves no hook of an earlier version in a file that was edited in between', async () => {
  const hooks = {
    Stop: [{ hooks: [{ type: 'command', command: '/old/charrette hook stop --host codex' }] }],
  };
  put('.codex/hooks.json', JSON.stringify({ hooks, mine: true }));
  await installHost(parts('codex'), where('codex'));
  await removeHost(parts('codex'), where('codex'));
  expect(JSON.parse(read('.codex/hooks.json'))).toEqual({ mine: true });
});

test('an entry that has a key twice is not changed', async () => {
  const ours = '{"command": "charrette hook stop"}';
  const text = `{"hooks": {"Stop": [{"hooks": [], "hooks": [${ours}, {"command": "mine"}]}]}}`;
  put('.codex/hooks.json', text);
  await expect(installHost(parts('codex'), where('codex'))).rejects.toThrow(/the key "hooks" twice/);
  expect(read('.codex/hooks.json')).toBe(text);
});

test('a settings file that cannot be read stops everything before anything is written', async () => {
  put('.gemini/settings.json', '{ "theme": ');
  await expect(installHost(parts('gemini'), where('gemini'))).rejects.toThrow(/cannot be changed safely/);
  expect(everything()).toEqual({ '.gemini/settings.json': '{ "theme": ' });
});

test('an empty settings file is set up, and is empty again afterwards', async () => {
  put('.gemini/settings.json', '\n');
  await installHost(parts('gemini'), where('gemini'));
  expect(JSON.parse(read('.gemini/settings.json'))).toHaveProperty('mcpServers.charrette');
  await removeHost(parts('gemini'), where('gemini'));
  expect(everything()).toEqual({ '.gemini/settings.json': '\n' });
});

test.each([
  ['bytes that are not UTF-8', Buffer.from('{ "name": "Ren\xe9" }', 'latin1'), /it is not UTF-8/],
  ['a byte order mark', Buffer.from('\uFEFF{}'), /it begins with a byte order mark/],
])('a settings file with %s is not changed', async (_, bytes, reason) => {
  put('.gemini/settings.json', '');
  writeFileSync(path.join(root, '.gemini/settings.json'), bytes);
  await expect(installHost(parts('gemini'), where('gemini'))).rejects.toThrow(reason);
  expect(readFileSync(path.join(root, '.gemini/settings.json'))).toEqual(bytes);
});

test.each([0o600, 0o664])('a settings file keeps its permissions: %o', async (mode) => {
  put('.gemini/settings.json', '{ "mcpServers": { "mine": { "env": { "KEY": "secret" } } } }');
  const file = path.join(root, '.gemini/settings.json');
  chmodSync(file, mode);
  await installHost(parts('gemini'), where('gemini'));
  expect(statSync(file).mode & 0o777).toBe(mode);
  expect(statSync(path.join(root, '.charrette/host-gemini.json')).mode & 0o777).toBe(0o600);
  await removeHost(parts('gemini'), where('gemini'));
  expect(statSync(file).mode & 0o777).toBe(mode);
});

test('a settings file that is a link stays one, and what it leads to is changed', async () => {
  put('dotfiles/gemini.json', '{}\n');
  mkdirSync(path.join(root, '.gemini'));
  symlinkSync('../dotfiles/gemini.json', path.join(root, '.gemini/settings.json'));
  await installHost(parts('gemini'), where('gemini'));
  expect(read('dotfiles/gemini.json')).toContain('charrette');
  await removeHost(parts('gemini'), where('gemini'));
  expect(read('dotfiles/gemini.json')).toBe('{}\n');
  expect(lstatSync(path.join(root, '.gemini/settings.json')).isSymbolicLink()).toBe(true);
});

test('a comment in an object that is empty without ours survives the removal', async () => {
  put('.gemini/settings.json', '{ "hooks": { /* mine come here */ }, "mcpServers": { /* none */ } }');
  await installHost(parts('gemini'), where('gemini'));
  put('.gemini/settings.json', `${read('.gemini/settings.json')}\n`);
  await removeHost(parts('gemini'), where('gemini'));
  expect(read('.gemini/settings.json')).toMatch(/mine come here[\s\S]*none/);
});

test('an MCP server of the same name that is the user’s own is kept and reported', async () => {
  const mine = '{ "mcpServers": { "charrette": { "command": "my-fork" } } }\n';
  put('.cursor/mcp.json', mine);
  const { log } = await installHost(parts('cursor'), where('cursor'));
  expect(log.map(({ text }) => text)).toContainEqual(expect.stringContaining('another MCP server'));
  expect(read('.cursor/mcp.json')).toBe(mine);
  await removeHost(parts('cursor'), where('cursor'));
  expect(read('.cursor/mcp.json')).toBe(mine);
});

test('a dry run writes nothing', async () => {
  const { created } = await installHost(parts('gemini'), where('gemini', true));
  expect(created.length).toBeGreaterThan(5);
  expect(existsSync(path.join(root, '.gemini'))).toBe(false);
});

test('without the record of the set-up, files that are as we write them go and others stay', async () => {
  await installHost(parts('codex'), where('codex'));
  rmSync(path.join(root, '.charrette'), { recursive: true });
  put('.agents/skills/charrette-design/SKILL.md', 'edited\n');
  const { kept } = await removeHost(parts('codex'), where('codex'));
  expect(kept).toEqual(['.agents/skills/charrette-design/SKILL.md']);
  expect(Object.keys(everything())).toEqual([
    '.agents/skills/charrette-design/SKILL.md',
    '.codex/hooks.json',
  ]);
  expect(JSON.parse(read('.codex/hooks.json'))).toEqual({});
});

test('an update takes out the hook that version 0.1.0 called before every tool', () => {
  const former = {
    hooks: [{ type: 'command', command: 'charrette hook pre-tool-use --host codex || true' }],
  };
  const settings = { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'charrette hook stop' }] }] } };
  const before = JSON.stringify({ hooks: { PreToolUse: [former, { command: 'mine' }] } });
  const after = JSON.parse(addSettings(before, settings, 'x'));
  expect(after).toEqual({ hooks: { PreToolUse: [{ command: 'mine' }], ...settings.hooks } });
});

test('whatever a settings file holds, adding twice is adding once and removing restores its values', () => {
  const [settings] = [...parts('gemini').shared.values()];
  if (settings === undefined) throw new Error('no settings');
  const entry = fc.record({
    matcher: fc.string(),
    hooks: fc.array(fc.constantFrom({ type: 'command', command: 'x' }, { type: 'command', command: 'y' }), {
      minLength: 1,
    }),
  });
  const hooks = fc.dictionary(
    fc.constantFrom('SessionStart', 'AfterAgent', 'Other', '__x'),
    fc.array(entry, { minLength: 1, maxLength: 3 }),
    { minKeys: 1 },
  );
  const value = fc.record(
    {
      theme: fc.jsonValue(),
      hooks,
      mcpServers: fc.dictionary(fc.constantFrom('a', 'b'), fc.record({ command: fc.string() }), {
        minKeys: 1,
      }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 2, '\t'), (before, indent) => {
      const text = JSON.stringify(before, null, indent);
      const once = addSettings(text, settings, 'x');
      expect(addSettings(once, settings, 'x')).toBe(once);
      expect(JSON.parse(removeSettings(once, settings, 'x'))).toEqual(JSON.parse(text));
    }),
  );
});
