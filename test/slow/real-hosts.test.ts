/** Plugins and hooks in the real programs of their hosts, against the scripted model. */
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clearAway } from '../clear-away.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import type { Script } from '../model-server/steps.ts';
import type { RequestView } from '../model-server/view.ts';
import { agentCommand, installAgents } from '../real-agents/install.ts';
import { program } from '../support/program.ts';

const root = path.resolve(import.meta.dirname, '..', '..');
const phase = 'phases/02-lite-execute.md';
let server: ModelServer;
let place: string;

/** Codex refuses to work below the folder for temporary files. */
beforeAll(async () => {
  await installAgents(['claude', 'codex', 'gemini']);
  mkdirSync(path.join(homedir(), '.cache'), { recursive: true });
  place = mkdtempSync(path.join(homedir(), '.cache', 'charrette-hosts-'));
  mkdirSync(path.join(place, 'bin'));
  writeFileSync(
    path.join(place, 'bin', 'charrette'),
    `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`,
  );
  chmodSync(path.join(place, 'bin', 'charrette'), 0o755);
  server = await startModelServer({
    rules: [
      {
        when: /GO-PHASE/,
        reply: (_prompt, view) => (shownCard(view) ? { say: 'CARD SEEN' } : inPhaseTwo(view)),
      },
    ],
  });
});

afterAll(async () => {
  await server?.close();
  clearAway(place);
});

const shownCard = ({ turns }: RequestView) => turns.some(({ text }) => text.includes('# Where you are'));

/** Reads the phase and keeps a list in which it is in progress, with whatever tools the host has for that. */
function inPhaseTwo({ tools }: RequestView): Partial<Script> {
  const has = (name: string) => tools.some((tool) => tool.name === name);
  const [one, two] = ['Phase 1: Lite Plan', 'Phase 2: Lite Execute'] as const;
  // Claude Code offers the tools of its list only when they are asked for.
  const list: Script['steps'] = has('Read')
    ? [
        {
          verb: 'call',
          tool: 'ToolSearch',
          input: { query: 'select:TaskCreate,TaskUpdate', max_results: 5 },
        },
        { verb: 'call', tool: 'TaskCreate', input: { subject: one, description: one } },
        { verb: 'call', tool: 'TaskCreate', input: { subject: two, description: two } },
        { verb: 'call', tool: 'TaskUpdate', input: { taskId: '1', status: 'completed' } },
        { verb: 'call', tool: 'TaskUpdate', input: { taskId: '2', status: 'in_progress' } },
      ]
    : [];
  const folder = has('Read') ? '.claude/skills' : '.agents/skills';
  return {
    steps: [
      has('Read')
        ? { verb: 'read', argument: `${projectOf('claude')}/${folder}/lite-plan/${phase}` }
        : { verb: 'shell', argument: `cat ${folder}/lite-plan/${phase}` },
      ...list,
    ],
    say: 'That is all for now. Step 2.4 is next.',
  };
}

const projectOf = (host: string) => path.join(place, host);

type Ended = { code: number | null; output: string };

function run(
  host: string,
  command: readonly string[],
  input: string,
  env: Record<string, string> = {},
): Promise<Ended> {
  const [file = '', ...args] = command;
  const home = path.join(place, `${host}-home`);
  mkdirSync(home, { recursive: true });
  const child = spawn(file, args, {
    cwd: projectOf(host),
    env: {
      PATH: [
        path.join(place, 'bin'),
        path.dirname(process.execPath),
        '/usr/local/bin',
        '/usr/bin',
        '/bin',
      ].join(':'),
      HOME: home,
      LANG: 'C.UTF-8',
      ...env,
    },
    timeout: 150_000,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

/** A project with the host set up by the program and a workflow skill in it. */
async function makeProject(host: string, skills: string): Promise<void> {
  mkdirSync(path.join(projectOf(host), '.git'), { recursive: true });
  const made = await run(host, ['charrette', 'init', '--host', host], '');
  expect(made.code, made.output).toBe(0);
  expect(made.output).not.toContain('not on PATH');
  cpSync(path.join(root, 'skills', 'lite-plan'), path.join(projectOf(host), skills, 'lite-plan'), {
    recursive: true,
  });
}

const textsOf = (name: string) =>
  server.callsOf(name).map(({ turns }) => turns.map(({ text }) => text).join('\n'));
const phaseText = () => readFileSync(path.join(root, 'skills', 'lite-plan', phase), 'utf8').trimEnd();

test('Claude Code accepts the plugin and the marketplace, also by the rules of its directory', async () => {
  mkdirSync(projectOf('validate'), { recursive: true });
  const claude = agentCommand('claude');
  for (const target of [[path.join(root, 'plugins', 'claude'), '--profile', 'directory'], [root]]) {
    const { code, output } = await run('validate', [...claude, 'plugin', 'validate', ...target], '');
    expect(output).toContain('Validation passed');
    expect(code, output).toBe(0);
  }
});

test('in Claude Code a turn does not end in a phase, the card with the phase comes back after a compaction, and a used-up budget starts no agents', async () => {
  await makeProject('claude', '.claude/skills');
  // What the trust dialogue leaves behind when a person accepts it.
  writeFileSync(
    path.join(place, 'claude-home', '.claude.json'),
    JSON.stringify({ projects: { [projectOf('claude')]: { hasTrustDialogAccepted: true } } }),
  );
  const env = {
    ANTHROPIC_BASE_URL: `${server.url}/run/host-claude`,
    ANTHROPIC_API_KEY: 'key-of-the-test',
    DISABLE_TELEMETRY: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  const claude = (...words: string[]) => [
    ...agentCommand('claude'),
    '-p',
    ...words,
    '--model',
    'scripted-model',
    '--allowedTools',
    'Bash,Read,TaskCreate,TaskUpdate,ToolSearch',
    '--output-format',
    'json',
  ];
  const first = await run('claude', claude('GO-PHASE'), '', env);
  const session = /"session_id":"([^"]+)"/.exec(first.output)?.[1] ?? '';
  expect(session, first.output).not.toBe('');
  const guarded = textsOf('host-claude').at(-1) ?? '';
  expect(guarded).toContain('lite-plan is not over: "Phase 2: Lite Execute" is in progress');
  expect(guarded).toContain('Step 2.4');

  const compacted = await run('claude', claude('/compact', '--resume', session), '', env);
  expect(compacted.code, compacted.output).toBe(0);
  const before = textsOf('host-claude').length;
  const next = await run('claude', claude('Continue. ⟦say fine⟧', '--resume', session), '', env);
  expect(next.output).toContain('fine');
  const after = textsOf('host-claude').slice(before).join('\n');
  expect(after).toContain('# Where you are');
  expect(after).toContain('Continue at Step 2.4.');
  expect(after).toContain(phaseText());
});

test('Codex installs the plugin from the marketplace, and its context gets the phase back after a compaction', async () => {
  const codex = agentCommand('codex');
  mkdirSync(projectOf('codex'), { recursive: true });
  const added = await run('codex', [...codex, 'plugin', 'marketplace', 'add', root], '');
  expect(added.output).toContain('Added marketplace `charrette`');
  const installed = await run('codex', [...codex, 'plugin', 'add', 'charrette@charrette'], '');
  expect(installed.output).toContain('Added plugin `charrette`');
  await run('codex', [...codex, 'plugin', 'remove', 'charrette@charrette'], '');

  await makeProject('codex', '.agents/skills');
  writeFileSync(
    path.join(place, 'codex-home', '.codex', 'config.toml'),
    [
      'model = "scripted-model"',
      'model_provider = "scripted"',
      // Every answer of the scripted model counts more, so the conversation is compacted at once.
      'model_auto_compact_token_limit = 1000',
      '[model_providers.scripted]',
      'name = "scripted"',
      `base_url = "${server.url}/run/host-codex/v1"`,
      'wire_api = "responses"',
      'env_key = "OPENAI_API_KEY"',
      `[projects.${JSON.stringify(projectOf('codex'))}]`,
      'trust_level = "trusted"',
      '',
    ].join('\n'),
  );
  const exec = ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-hook-trust', '-'];
  const ended = await run('codex', [...codex, ...exec], 'GO-PHASE', { OPENAI_API_KEY: 'key-of-the-test' });
  expect(ended.output).toContain('CARD SEEN');
  const seen = textsOf('host-codex').find((text) => text.includes('# Where you are')) ?? '';
  expect(seen).toContain(phaseText());
});

test('Gemini CLI accepts the extension, and its first turn receives the waiting runs', async () => {
  const gemini = agentCommand('gemini');
  mkdirSync(projectOf('gemini'), { recursive: true });
  const valid = await run(
    'gemini',
    [...gemini, 'extensions', 'validate', path.join(root, 'plugins', 'gemini')],
    '',
  );
  expect(valid.output).toContain('successfully validated');

  await makeProject('gemini', '.gemini/skills');
  const paused = path.join(projectOf('gemini'), '.charrette', 'runs', '20260101-120000-00000001');
  mkdirSync(path.join(paused, 'artifacts'), { recursive: true });
  writeFileSync(
    path.join(paused, 'run.json'),
    JSON.stringify({
      schemaVersion: 1,
      run: path.basename(paused),
      workflow: 'design',
      codeVersion: '1',
      title: 'add limits',
      inputs: {},
      status: 'paused',
      created: '2026-01-01T12:00:00.000Z',
    }),
  );
  mkdirSync(path.join(place, 'gemini-home', '.gemini'), { recursive: true });
  writeFileSync(
    path.join(place, 'gemini-home', '.gemini', 'settings.json'),
    JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }),
  );
  const ask = ['-p', 'Hello. ⟦say fine⟧', '-m', 'gemini-2.5-pro', '--skip-trust', '--output-format', 'json'];
  const ended = await run('gemini', [...gemini, ...ask], '', {
    GEMINI_API_KEY: 'key-of-the-test',
    GOOGLE_GEMINI_BASE_URL: `${server.url}/run/host-gemini`,
    GEMINI_CLI_NO_RELAUNCH: 'true',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  });
  expect(ended.output).toContain('fine');
  expect(textsOf('host-gemini').join('\n')).toContain(
    'design "add limits": run 20260101-120000-00000001 is paused',
  );
});
