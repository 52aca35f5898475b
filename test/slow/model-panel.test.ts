/** The whole panel with agents without their own driver: two bare models and goose over ACP. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeExampleRepository } from '../../scripts/example-repository.mjs';
import { isRecord, parseJson } from '../../src/base/safe-json.ts';
import { panelAnswer, taskOf } from '../agents/panel-answers.mjs';
import { clearAway } from '../clear-away.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { agentCommand, installAgents } from '../real-agents/install.ts';
import { artifactsOf, charrette, runsOf } from '../support/program.ts';

let server: ModelServer;
let project: string;

beforeAll(async () => {
  await installAgents(['goose'], (line) => process.stderr.write(`${line}\n`));
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
  project = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-model-panel-')), 'shop');
  makeExampleRepository(project);
  mkdirSync(path.join(project, '.charrette'), { recursive: true });
  const key = 'key-of-the-test';
  const config = {
    detect: false,
    author: 'first',
    agents: {
      first: {
        protocol: 'model',
        model: 'anthropic:scripted',
        baseUrl: `${server.url}/run/first/v1`,
        env: { ANTHROPIC_API_KEY: key },
      },
      local: { protocol: 'model', model: 'scripted', baseUrl: `${server.url}/run/local/v1` },
      goose: {
        protocol: 'acp',
        command: [...agentCommand('goose'), 'acp'],
        env: {
          GOOSE_PROVIDER: 'anthropic',
          GOOSE_MODEL: 'scripted',
          GOOSE_DISABLE_KEYRING: '1',
          GOOSE_TELEMETRY_ENABLED: 'false',
          ANTHROPIC_HOST: `${server.url}/run/goose`,
          ANTHROPIC_API_KEY: key,
        },
      },
    },
  };
  writeFileSync(path.join(project, '.charrette', 'config.json'), JSON.stringify(config));
});

afterAll(async () => {
  await server?.close();
  clearAway(path.dirname(project));
});

test('bare models and an agent over ACP design together', async () => {
  const ended = await charrette(['design', '--auto', '--yes', 'add rate limiting'], { cwd: project });
  expect(ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('failed —') });
  const [run = ''] = runsOf(project);
  const ledger = readFileSync(path.join(project, '.charrette', 'runs', run, 'ledger.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line): unknown => parseJson(line, 'ledger.jsonl'))
    .filter(isRecord);
  const agents = ['first', 'local', 'goose'];
  expect(new Set(ledger.map(({ agent }) => agent))).toEqual(new Set(agents));
  for (const { agent, usage } of ledger) {
    expect([agent, isRecord(usage) && usage['basis']]).toEqual([
      agent,
      agent === 'goose' ? 'estimated' : 'measured',
    ]);
  }
  for (const agent of agents) expect(server.callsOf(agent).length).toBeGreaterThan(0);
  const wires = agents.map((agent) => server.callsOf(agent)[0]?.wire);
  expect(wires).toEqual(['anthropic', 'chat', 'anthropic']);
  expect(artifactsOf(project, run)['plan.txt']).toContain('Limit requests per client');
});
