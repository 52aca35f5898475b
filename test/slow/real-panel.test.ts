import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeExampleRepository } from '../../scripts/example-repository.mjs';
import type { ComparisonFile } from '../../src/workflows/compare/comparison.ts';
import { panelAnswer, taskOf } from '../agents/panel-answers.mjs';
import { clearAway } from '../clear-away.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { agentCommand, installAgents } from '../real-agents/install.ts';
import { artifactsOf, charrette, runsOf } from '../support/program.ts';

let server: ModelServer;
let project: string;

beforeAll(async () => {
  await installAgents(['claude', 'codex', 'goose', 'grok']);
  server = await startModelServer({
    rules: [
      {
        when: /^## Answer$/m,
        reply: (prompt) => {
          const task = taskOf(prompt);
          const json = task === undefined ? undefined : panelAnswer(task, prompt);
          return json === undefined ? undefined : { json };
        },
      },
    ],
  });
  project = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-real-panel-')), 'shop');
  makeExampleRepository(project);
  mkdirSync(path.join(project, '.charrette'), { recursive: true });
  const key = { ANTHROPIC_API_KEY: 'key-of-the-test' };
  const config = {
    detect: false,
    author: 'claude',
    agents: {
      claude: {
        protocol: 'claude',
        command: agentCommand('claude'),
        model: 'scripted-model',
        baseUrl: server.url,
        env: key,
      },
      codex: {
        protocol: 'codex',
        command: agentCommand('codex'),
        model: 'scripted-model',
        baseUrl: `${server.url}/v1`,
        env: { OPENAI_API_KEY: 'key-of-the-test' },
      },
      goose: {
        protocol: 'goose',
        command: agentCommand('goose'),
        model: 'scripted-model',
        baseUrl: server.url,
        env: key,
      },
    },
  };
  writeFileSync(path.join(project, '.charrette', 'config.json'), JSON.stringify(config));
});

afterAll(async () => {
  await server?.close();
  clearAway(path.dirname(project));
});

test('the whole panel runs with three real agent programs of different families against a scripted model', async () => {
  const ended = await charrette(['design', '--auto', '--yes', 'add rate limiting'], { cwd: project });
  expect(ended.stderr).not.toContain('failed —');
  expect(ended.code).toBe(0);
  const [run = ''] = runsOf(project);
  const ledger = readFileSync(path.join(project, '.charrette', 'runs', run, 'ledger.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { agent: string; family: string; usage: { basis: string } });
  expect(new Set(ledger.map(({ agent }) => agent))).toEqual(new Set(['claude', 'codex', 'goose']));
  expect(new Set(ledger.map(({ family }) => family)).size).toBeGreaterThan(1);
  expect(ledger.every(({ usage }) => usage.basis === 'measured')).toBe(true);
  const artifacts = artifactsOf(project, run);
  expect(artifacts['plan.txt']).toContain('Limit requests per client');
  expect(artifacts['dialectic-resolutions.md']).toContain('**Disposition**: voted');
  expect(artifacts['voting-tally.md']).toContain('FINDING_1');
  expect(artifacts['architecture-diagram.md']).toContain('```mermaid');
});

test('solo and panel are compared by real agent programs, judged by another family than that of the solo author', async () => {
  const before = runsOf(project);
  const tasks = path.join(path.dirname(project), 'tasks.md');
  writeFileSync(tasks, '- add rate limiting\n  - answers 429\n  - is configurable\n');
  const ended = await charrette(['compare', '--tasks', tasks, '--yes', '--json'], { cwd: project });
  expect(ended.stderr).not.toContain('failed —');
  expect(ended.code).toBe(0);
  const { run, comparison } = JSON.parse(ended.stdout) as { run: string; comparison: ComparisonFile };
  const [task] = comparison.tasks;
  expect(task).toMatchObject({ verdict: 'panel', independent: true });
  expect(task?.judges.length).toBeGreaterThan(0);
  for (const judge of task?.judges ?? []) {
    expect(task?.solo.authorFamilies).not.toContain(judge.family);
    expect(judge.consistent).toBe(true);
  }
  expect(comparison.totals.panel.calls).toBeGreaterThan(comparison.totals.solo.calls);
  expect(artifactsOf(project, run)['comparison.md']).toContain('Panel better: 1.');
  expect(runsOf(project).length).toBe(before.length + 3);
});
