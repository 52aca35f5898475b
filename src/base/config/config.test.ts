import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { loadConfig } from './config.ts';

let project: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  project = mkdtempSync(path.join(tmpdir(), 'charrette-config-'));
  env = { HOME: path.join(project, 'home') };
});

const write = (file: string, text: string) => {
  const target = path.join(project, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
};

test('defaults hold without any file', async () => {
  const { config, files } = await loadConfig({ project, env });
  expect(files).toEqual([]);
  expect(config).toMatchObject({ store: 'embedded', panel: 'diagonal', dialectic: 'binding' });
});

test('flags win over environment, project, user and defaults, and each value says where it comes from', async () => {
  write('home/.config/charrette/config.json', '{"panel":"wide","author":"one","dialectic":"off"}');
  write('charrette.config.yaml', 'panel: pair\nauthor: two\n');
  const { config, origins } = await loadConfig({
    project,
    env: { ...env, CHARRETTE_AUTHOR: 'three' },
    flags: { sketches: 2 },
  });
  expect(config).toMatchObject({ panel: 'pair', author: 'three', dialectic: 'off', sketches: 2 });
  const from = (key: string) => origins.find((origin) => origin.key === key)?.from;
  expect(from('panel')).toContain('charrette.config.yaml');
  expect(from('author')).toBe('environment: CHARRETTE_AUTHOR');
  expect(from('dialectic')).toContain('user: ');
  expect(from('sketches')).toBe('flag');
});

test('agents of user and project are joined', async () => {
  write('home/.config/charrette/config.json', '{"agents":{"one":{"protocol":"claude"}}}');
  write('charrette.config.json', '{"agents":{"two":{"protocol":"exec","command":["node","x.mjs"]}}}');
  const { config } = await loadConfig({ project, env });
  expect(Object.keys(config.agents ?? {})).toEqual(['one', 'two']);
});

test('a wrong value names file, line, key and what is allowed', async () => {
  write('charrette.config.json', '{\n  "agents": {\n    "one": { "protocol": "telepathy" }\n  }\n}\n');
  await expect(loadConfig({ project, env })).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringMatching(/charrette\.config\.json:3: `agents\.one\.protocol` .*"claude"/s),
  });
});

test('an unknown key is refused with the known ones', async () => {
  write('charrette.config.json', '{\n  "pannel": "wide"\n}\n');
  await expect(loadConfig({ project, env })).rejects.toMatchObject({
    message: expect.stringMatching(/:2: `pannel` is not a setting; known are .*panel/),
  });
});

test('a file that is not JSON is refused with its line', async () => {
  write('charrette.config.json', '{\n  "panel": "wide",\n  oops\n');
  await expect(loadConfig({ project, env })).rejects.toMatchObject({
    code: 'config-unreadable',
    message: expect.stringMatching(/charrette\.config\.json:\d+: /),
  });
});

test.each([
  ['does not parse', 'export default {\n  agents: {{ };\n', /charrette\.config\.ts(?::\d+)?: ./],
  ['throws', 'const key = "";\nif (key === "") throw new Error("no key");\n', /config\.ts:2: no key$/],
  ['throws a word', 'throw "word";\n', /config\.ts: word$/],
])('a configuration of code that %s is refused with its name', async (_, text, message) => {
  write('charrette.config.ts', text);
  await expect(loadConfig({ project, env })).rejects.toMatchObject({
    code: 'config-unreadable',
    message: expect.stringMatching(message),
  });
});

test('two project files are one too many', async () => {
  write('charrette.config.json', '{}');
  write('.charrette/config.json', '{}');
  await expect(loadConfig({ project, env })).rejects.toMatchObject({ code: 'config-invalid' });
});

test('--config must exist', async () => {
  await expect(loadConfig({ project, env, file: path.join(project, 'nope.json') })).rejects.toMatchObject({
    code: 'config-unreadable',
  });
});

test.each(['localhost', ' postgresql://host/runs', 'mysql://host/runs', 'postgresql://me:a#b@host/runs'])(
  'a store at %j is refused before anything asks for it, without saying a password',
  async (url) => {
    const message = 'it takes postgresql://user:password@host/database';
    const wrong = loadConfig({ project, env: { ...env, CHARRETTE_DATABASE_URL: url } });
    await expect(wrong).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining(message),
    });
    await expect(wrong).rejects.not.toMatchObject({ message: expect.stringContaining('a#b') });
  },
);

test.each([' ', '0x10', '1e3', 'soon'])(
  'CHARRETTE_DATABASE_RETRY_SECONDS %j is not a number',
  async (value) => {
    await expect(
      loadConfig({ project, env: { ...env, CHARRETTE_DATABASE_RETRY_SECONDS: value } }),
    ).rejects.toMatchObject({ code: 'config-invalid' });
  },
);
