import { describe, expect, test } from 'vitest';
import type { AgentTask } from '../port.ts';
import { drivers } from '../registry.ts';
import type { AgentSettings } from '../settings.ts';
import type { BuildRequest, Driver, Launch } from './driver.ts';

const task: AgentTask = {
  task: 'sketch',
  run: 'r',
  seat: 's',
  attempt: 1,
  prompt: 'THE PROMPT "; rm -rf $HOME',
  directory: '/project',
  access: 'read',
  limits: { wallMs: 60_000, idleMs: 15_000 },
  laneDirectory: '/lanes/one',
};

function build(
  name: keyof typeof drivers,
  changes: {
    task?: Partial<AgentTask>;
    settings?: Partial<AgentSettings>;
    request?: Partial<BuildRequest>;
  } = {},
): Launch {
  const driver: Driver = drivers[name];
  return driver.build({
    task: { ...task, ...changes.task },
    settings: { id: name, protocol: name, ...changes.settings },
    program: ['/bin/agent'],
    home: '/lanes/one/home',
    directory: '/project',
    variables: {},
    jailed: true,
    ...changes.request,
  });
}

const names = Object.keys(drivers) as (keyof typeof drivers)[];

describe.each(names)('L-977 the command of %s', (name) => {
  test('L-305 the prompt goes through stdin or a file, never through an argument or variable', () => {
    const launch = build(name);
    expect(launch.stdin === task.prompt || Object.values(launch.files).includes(task.prompt)).toBe(true);
    expect(JSON.stringify([launch.argv, launch.environment])).not.toContain('THE PROMPT');
  });

  test('L-306 building is pure: the same request gives the same launch', () => {
    expect(build(name)).toEqual(build(name));
  });

  test('L-311 keys stay in the environment; no argument and no file carries one', () => {
    const variables = {
      OPENAI_API_KEY: 'SECRET',
      ANTHROPIC_API_KEY: 'SECRET',
      XAI_API_KEY: 'SECRET',
      GEMINI_API_KEY: 'SECRET',
    };
    const launch = build(name, {
      settings: { baseUrl: 'http://127.0.0.1:1/v1', model: 'm' },
      request: { variables },
    });
    expect(launch.argv.join(' ')).not.toContain('SECRET');
    expect(Object.values(launch.files).join(' ')).not.toContain('SECRET');
  });

  test('a hostile model name or address stays one argument or one quoted value', () => {
    const hostile = 'm"; x=$(id)\n[evil]\nkey="';
    const launch = build(name, { settings: { model: hostile, baseUrl: `http://h/${hostile}` } });
    for (const content of Object.values(launch.files)) expect(content.split('\n')).not.toContain('[evil]');
  });
});

/** L-307: the strong read-only form of each agent, and none of its writing forms. */
test.each([
  ['claude', ['--restricted', '--tools', 'Read,Grep,Glob']],
  ['codex', ['--sandbox', 'read-only']],
  ['cursor', ['--mode', 'plan']],
  ['gemini', ['--approval-mode', 'plan']],
  ['qwen', ['--approval-mode', 'plan']],
  ['grok', ['--tools', 'read_file,grep,list_dir']],
  ['pi', ['--tools', 'read,grep,find,ls']],
  ['copilot', ['--available-tools', 'view', 'grep', 'glob']],
] as const)('L-307 L-940 %s reads with %j and writes without', (name, flags) => {
  const text = (access: 'read' | 'write') => ` ${build(name, { task: { access } }).argv.join(' ')} `;
  expect(text('read')).toContain(` ${flags.join(' ')} `);
  expect(text('read')).not.toMatch(/yolo|--force|--always-approve|workspace-write|acceptEdits/);
  expect(text('write')).not.toContain(` ${flags.join(' ')} `);
});

test('opencode reads by a permission table: its plan agent lets a shell write', () => {
  const permission = (access: 'read' | 'write') =>
    build('opencode', { task: { access } }).environment['OPENCODE_CONFIG_CONTENT'];
  expect(permission('read')).toContain(
    '"permission":{"edit":"deny","bash":"deny","webfetch":"deny","task":"deny","external_directory":"deny"}',
  );
  expect(permission('write')).toContain('"edit":"allow","bash":"allow"');
});

test.each([
  ['claude', '--resume S1', '--resume S1 --fork-session'],
  ['codex', 'resume S1 -', 'fork S1 -'],
  ['opencode', '--session S1', '--session S1 --fork'],
  ['grok', '--resume S1', '--resume S1 --fork-session'],
  ['pi', '--session S1', '--fork S1'],
] as const)('%s resumes with "%s" and forks with "%s"', (name, resumed, forked) => {
  const argv = (fork: boolean) =>
    build(name, { request: { resume: { session: 'S1', fork } } }).argv.join(' ');
  expect(argv(false)).toMatch(new RegExp(`${resumed}$`));
  expect(argv(true)).toMatch(new RegExp(`${forked}$`));
});

test.each(['claude', 'grok', 'qwen'] as const)(
  '%s is held to a schema that fits into an argument',
  (name) => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    expect(build(name, { task: { schema } }).argv).toContain(JSON.stringify(schema));
    const huge = { type: 'object', description: 'x'.repeat(130_000) };
    expect(build(name, { task: { schema: huge } }).argv).not.toContain('--json-schema');
  },
);

test('codex gets its schema as a file, and its commands do not see the key', () => {
  const launch = build('codex', { task: { schema: { type: 'object' } } });
  expect(launch.argv).toContain('/lanes/one/home/charrette-schema.json');
  expect(launch.files['charrette-schema.json']).toBe('{"type":"object"}');
  expect(launch.argv).toContain('shell_environment_policy.inherit="core"');
});

test('goose, which prints no session id, gets one name per lane', () => {
  const [one, other] = [build('goose'), build('goose', { task: { laneDirectory: '/lanes/two' } })];
  expect(one.session).toMatch(/^charrette-[0-9a-f]{16}$/);
  expect(one.session).not.toBe(other.session);
  expect(build('goose', { request: { resume: { session: 'N', fork: false } } }).argv.join(' ')).toContain(
    '--name N',
  );
});

test('L-309 effort reaches the agents that have a setting for it', () => {
  const argv = (name: keyof typeof drivers) => build(name, { settings: { effort: 'high' } }).argv.join(' ');
  expect(argv('claude')).toContain('--effort high');
  expect(argv('codex')).toContain('model_reasoning_effort="high"');
  expect(argv('grok')).toContain('--reasoning-effort high');
  expect(argv('pi')).toContain('--thinking high');
});

test('capabilities match what the commands can do', () => {
  for (const name of names) {
    const driver: Driver = drivers[name];
    const argv = (fork: boolean) =>
      build(name, { request: { resume: { session: 'S1', fork } } }).argv.join(' ');
    expect(argv(false).includes('S1')).toBe(driver.capabilities.resume);
    expect(argv(true) !== argv(false)).toBe(driver.capabilities.fork);
  }
});
