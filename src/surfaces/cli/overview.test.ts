import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { temporaryRepository } from '../../../test/temporary-repository.ts';
import { agentLogin } from '../../agents/registry.ts';
import { thisWorld } from '../../agents/settings.ts';

const repository = temporaryRepository();
const { root } = repository;
afterAll(repository.remove);

beforeAll(() => {
  repository.write('src/a.ts', 'export const a = 1;\n');
  repository.commit('first');
});

/** Agents that the project declares; what this machine has is not looked for. */
function declare(agents: Record<string, unknown>): void {
  mkdirSync(path.join(root, '.charrette'), { recursive: true });
  writeFileSync(path.join(root, '.charrette', 'config.json'), JSON.stringify({ detect: false, agents }));
}

/** A run with this workflow and status. */
function record(run: string, workflow: string, status: string): void {
  const folder = path.join(root, '.charrette', 'runs', run);
  mkdirSync(folder, { recursive: true });
  const known = { schemaVersion: 1, run, workflow, codeVersion: '1', title: 'limits', inputs: {} };
  const text = JSON.stringify({ ...known, status, created: '2026-01-01T00:00:00Z' });
  writeFileSync(path.join(folder, 'run.json'), text);
}

async function overview() {
  const { exit, out } = await runCommandLine('--json', '--cwd', path.join(root, 'src'));
  expect(exit).toBe(0);
  return JSON.parse(out) as { agents: { id: string; version?: string }[]; next: { command: string } };
}

test('`charrette` alone shows agents and the one next command', async () => {
  const program = path.join(root, 'agent');
  writeFileSync(program, '#!/bin/sh\necho "1.2.3"\n');
  chmodSync(program, 0o755);
  declare({ mine: { protocol: 'claude', command: [program], env: { ANTHROPIC_API_KEY: 'fake' } } });
  const { out } = await runCommandLine('--cwd', root);
  expect(out).toMatch(/^Charrette \S+ in .*branch/);
  expect(out).toMatch(/^ {2}mine {2}Claude Code 1\.2\.3, login found$/m);
  expect(out).toMatch(/^Next: charrette design /m);
});

test.each([
  ['design', 'done', 'charrette build --run latest'],
  ['design', 'paused', 'charrette resume latest'],
  ['design', 'stopped', 'charrette resume latest'],
  ['lite-execute', 'done', 'charrette design "what you want to build"'],
])('after a %s run that is %s the next command is %s', async (workflow, status, command) => {
  declare({ mine: { protocol: 'exec', command: ['true'] } });
  record('20260101-000000-limits-4f2a90c1', workflow, status);
  expect((await overview()).next.command).toBe(command);
});

test('the doctor lists an agent once that is both declared and found', async () => {
  const bin = path.join(root, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, 'claude'), '#!/bin/sh\necho "1.2.3 (Claude Code)"\n', { mode: 0o755 });
  mkdirSync(path.join(root, '.charrette'), { recursive: true });
  const agents = { claude: { protocol: 'claude', model: 'opus' } };
  writeFileSync(path.join(root, '.charrette', 'config.json'), JSON.stringify({ agents }));
  vi.stubEnv('PATH', `${bin}${path.delimiter}${process.env['PATH']}`);
  try {
    const { exit, out } = await runCommandLine('doctor', '--json', '--cwd', root);
    expect(exit).toBe(0);
    const report = JSON.parse(out) as { agents: { id: string }[] };
    expect(report.agents.filter(({ id }) => id === 'claude')).toHaveLength(1);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('without an agent that is logged in the doctor is next, and names how to log in', async () => {
  const world = {
    ...thisWorld(),
    home: path.join(root, 'none'),
    environment: {},
    platform: 'linux' as const,
  };
  expect(await agentLogin({ id: 'codex', protocol: 'codex' }, world)).toEqual({
    login: 'missing',
    signIn: 'run `codex` once to log in, or set OPENAI_API_KEY',
  });
  const file = path.join(root, 'home', '.codex', 'auth.json');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '{}');
  const home = path.join(root, 'home');
  expect(await agentLogin({ id: 'codex', protocol: 'codex' }, { ...world, home })).toEqual({
    login: 'found',
  });
  expect(await agentLogin({ id: 'x', protocol: 'exec', command: ['x'] }, world)).toEqual({
    login: 'unknown',
  });
});

test('outside a repository `charrette` shows the help', async () => {
  expect((await runCommandLine('--cwd', '/')).out).toContain('Usage: charrette <command>');
});
