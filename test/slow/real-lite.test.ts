/** Real Claude Code and Codex explore, plan, edit files in separate checkouts, fix a failing test and review. Minutes: about three. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clearAway } from '../clear-away.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { agentCommand, installAgents } from '../real-agents/install.ts';
import { charrette, runsOf } from '../support/program.ts';

const append = (text: string, file: string) => `echo "${text}" >> ${file}`;
const number = (name: string, value: number) =>
  `mkdir -p src && ${append(`export const ${name} = ${value};`, `src/${name}.mjs`)} && ${append(`export * from './${name}.mjs';`, 'src/index.mjs')}`;

/** What the model does for each task, as one shell command. */
const work: Readonly<Record<string, string>> = {
  'TASK-001': `mkdir -p src && ${append('export const total = 5;', 'src/index.mjs')} && ${number('one', 1)}`,
  'TASK-002': number('two', 2),
  'TASK-003': number('three', 3),
  'TASK-004': `mkdir -p test && ${append("import assert from 'node:assert';import test from 'node:test';import * as all from '../src/index.mjs';test('total', () => assert.equal(all.one + all.two + all.three, all.total));", 'test/total.test.mjs')}`,
};

const planned = (id: string, title: string, depends_on: string[], file: string) => ({
  id,
  title,
  description: title,
  action: 'Create',
  scope: 'src',
  depends_on,
  files: [{ path: file, action: 'create', change: title }],
  implementation: ['Write it.', 'Export it.'],
  criteria: [`${file} exists`],
  rationale: 'It is small.',
  tests: ['the sum'],
  commands: ['npm test'],
  risks: [],
  skeleton: [],
});

const plan = {
  summary: 'Numbers and their total',
  approach: 'A constant per file.',
  estimated_time: '1 hour',
  tasks: [
    planned('TASK-001', 'Add one and the total', [], 'src/one.mjs'),
    planned('TASK-002', 'Add two', ['TASK-001'], 'src/two.mjs'),
    planned('TASK-003', 'Add three', ['TASK-001'], 'src/three.mjs'),
    planned('TASK-004', 'Test the total', ['TASK-002', 'TASK-003'], 'test/total.test.mjs'),
  ],
  design_decisions: [{ decision: 'Constants', rationale: 'Nothing else is needed.', tradeoff: null }],
  data_flow: null,
};

const exploration = {
  project_structure: 'A package without modules.',
  relevant_files: [
    {
      path: 'package.json',
      relevance: 90,
      rationale: 'It names the test command.',
      role: 'config',
      key_symbols: [],
    },
  ],
  patterns: 'None.',
  dependencies: 'None.',
  integration_points: 'package.json:1',
  constraints: 'No packages.',
  clarification_needs: [],
};

const done = (summary: string) => ({ status: 'completed', summary, outputs: [], notes: [], unfinished: [] });

function reply(prompt: string) {
  const ids = [...new Set([...prompt.matchAll(/^### (TASK-\d{3}):/gm)].map(([, id = '']) => id))];
  const shell = (argument: string) => ({ verb: 'shell' as const, argument });
  if (prompt.includes('You repair a change'))
    return {
      steps: [shell("sed -i 's/total = 5/total = 6/' src/index.mjs")],
      json: done('the total is six'),
    };
  if (prompt.includes('You execute tasks'))
    return {
      steps: [shell(ids.map((id) => work[id] ?? 'true').join(' && '))],
      json: done(`did ${ids.join(', ')}`),
    };
  if (prompt.includes('You review a change')) {
    const criteria = plan.tasks.map(({ id, files }) => ({
      task_id: id,
      number: 1,
      met: true,
      evidence: `${files[0]?.path}:1`,
    }));
    return {
      steps: [{ verb: 'read' as const, argument: 'package.json' }],
      json: { summary: 'As planned.', findings: [], criteria },
    };
  }
  if (prompt.includes('"estimated_time"')) return { json: plan };
  return prompt.includes('"project_structure"') ? { json: exploration } : undefined;
}

let server: ModelServer;
let folder: string;

beforeAll(async () => {
  await installAgents(['claude', 'codex']);
  server = await startModelServer({ rules: [{ when: /^## Answer$/m, reply }] });
  folder = mkdtempSync(path.join(tmpdir(), 'charrette-real-lite-'));
});

afterAll(async () => {
  await server?.close();
  clearAway(folder);
});

function makeProject(): { project: string; git: (...args: string[]) => string } {
  const project = path.join(folder, 'numbers');
  mkdirSync(path.join(project, '.charrette'), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args], {
      cwd: project,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    }).trim();
  writeFileSync(path.join(project, 'package.json'), '{"name":"numbers","scripts":{"test":"node --test"}}\n');
  writeFileSync(path.join(project, '.gitignore'), '.home/\n');
  writeFileSync(path.join(project, '.charrette', '.gitignore'), '*\n');
  const agent = (protocol: 'claude' | 'codex', suffix: string, key: string) => ({
    protocol,
    command: agentCommand(protocol),
    model: 'scripted-model',
    baseUrl: `${server.url}${suffix}`,
    env: { [key]: 'key-of-the-test' },
  });
  const agents = {
    claude: agent('claude', '', 'ANTHROPIC_API_KEY'),
    codex: agent('codex', '/v1', 'OPENAI_API_KEY'),
  };
  writeFileSync(path.join(project, '.charrette', 'config.json'), JSON.stringify({ detect: false, agents }));
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
  return { project, git };
}

test('P-105 P-114 P-120 P-123 P-127 P-151 two real agents implement a plan in worktrees, collide, fix the tests and review as a panel', async () => {
  const { project, git } = makeProject();
  const start = git('rev-parse', 'HEAD');
  const words = ['lite-plan', '-y', '--one-task-per-call', '--executor', 'claude', '--review', 'panel'];
  const ended = await charrette([...words, 'Add the numbers and their total. codex implements TASK-002.'], {
    cwd: project,
  });
  expect(ended.stderr).toContain('convergence PASS, code review PASS; the work is on main');
  expect(ended.code).toBe(0);
  expect(git('show', 'HEAD:src/index.mjs').split('\n')).toEqual([
    'export const total = 6;',
    "export * from './one.mjs';",
    "export * from './two.mjs';",
    "export * from './three.mjs';",
  ]);
  expect(git('status', '--porcelain')).toBe('');
  expect(git('log', '--format=%s', `${start}..HEAD`).split('\n')).toEqual([
    'Fix what tests and review found, round 1',
    'Test the total',
    'Add three',
    'Add two',
    'Add one and the total',
  ]);
  const [run = ''] = runsOf(project);
  const artifact = (name: string) =>
    readFileSync(path.join(project, '.charrette', 'runs', run, 'artifacts', name), 'utf8');
  const { results } = JSON.parse(artifact('execution-results.json')) as {
    results: {
      executionId: string;
      proof: {
        executor: string;
        argv: string[];
        exitCode: number;
        durationMs: number;
        changedFiles: string[];
      };
    }[];
  };
  expect(results.map(({ executionId, proof }) => [executionId, proof.executor, proof.changedFiles])).toEqual([
    ['[S1]', 'claude', ['src/index.mjs', 'src/one.mjs']],
    ['[P1]', 'codex', ['src/index.mjs', 'src/two.mjs']],
    ['[P2]', 'claude', ['src/index.mjs', 'src/three.mjs']],
    ['[S2]', 'claude', ['test/total.test.mjs']],
    ['[fix-1]', 'claude', ['src/index.mjs']],
  ]);
  for (const { proof } of results) {
    expect(proof.argv.slice(0, agentCommand(proof.executor as 'claude').length)).toEqual(
      agentCommand(proof.executor as 'claude'),
    );
    expect(proof.argv.length).toBeGreaterThan(5);
    expect([proof.exitCode, proof.durationMs > 0]).toEqual([0, true]);
  }
  expect(artifact('code-review.md')).toContain('Reviewer: claude, codex');
});
