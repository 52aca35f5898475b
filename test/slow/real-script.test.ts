import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeExampleRepository } from '../../scripts/example-repository.mjs';
import { parseJson } from '../../src/base/safe-json.ts';
import { clearAway } from '../clear-away.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { agentCommand, installAgents } from '../real-agents/install.ts';
import { artifactsOf, charrette, runsOf } from '../support/program.ts';

/** What files for Claude Code's own workflows do: a schema, models by name, an agent type, a fan-out, nulls filtered out. */
const file = `export const meta = {
  name: 'survey',
  description: 'Splits a question and looks at its parts',
  phases: [{ title: 'Scope' }, { title: 'Look' }],
};
const PARTS = {
  type: 'object',
  additionalProperties: false,
  properties: { parts: { type: 'array', items: { type: 'string' } } },
  required: ['parts'],
};
phase('Scope');
const { parts } = await agent(\`SCOPE of \${args}\`, { schema: PARTS, model: 'opus', label: 'scope' });
const looked = await pipeline(
  parts,
  (part) => agent(\`LOOK at \${part}\`, { phase: 'Look', model: 'gpt-5.5', agentType: 'Explore' }),
  (text, part, index) => (text === null ? null : { part, text, index }),
);
return looked.filter(Boolean);
`;

let server: ModelServer;
let folder: string;

beforeAll(async () => {
  await installAgents(['claude', 'codex']);
  folder = mkdtempSync(path.join(tmpdir(), 'charrette-real-script-'));
  server = await startModelServer({
    rules: [
      { when: /^SCOPE of orders/m, reply: { json: { parts: ['code', 'tests'] } } },
      { when: /^LOOK at code/m, reply: { say: 'the code is small' } },
      { when: /^LOOK at tests/m, reply: { say: 'the tests are few' } },
    ],
  });
});

afterAll(async () => {
  await server?.close();
  clearAway(folder);
});

test('W-121 W-174: a file that names models of two vendors runs with the real claude and codex programs', async () => {
  const project = path.join(folder, 'shop');
  makeExampleRepository(project);
  const workflows = path.join(project, '.charrette', 'workflows');
  mkdirSync(workflows, { recursive: true });
  writeFileSync(path.join(workflows, 'survey.js'), file);
  const agent = (program: 'claude' | 'codex', key: string, suffix: string) => ({
    protocol: program,
    command: agentCommand(program),
    model: 'scripted-model',
    baseUrl: `${server.url}/run/${program}${suffix}`,
    env: { [key]: 'key-of-the-test' },
  });
  const agents = {
    claude: agent('claude', 'ANTHROPIC_API_KEY', ''),
    codex: agent('codex', 'OPENAI_API_KEY', '/v1'),
  };
  const config = { detect: false, consent: true, agents };
  writeFileSync(path.join(project, '.charrette', 'config.json'), JSON.stringify(config));
  const { stdout } = await charrette(['workflow', 'show', 'survey', '--json'], { cwd: project });
  const { digest } = parseJson(stdout, 'show') as { digest: string };
  const ended = await charrette(['run', 'survey', 'orders', '--trust', digest, '--json', '--no-input'], {
    cwd: project,
  });
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  const [run = ''] = runsOf(project);
  expect(parseJson(artifactsOf(project, run)['result.json'] ?? '', 'result')).toEqual([
    { part: 'code', text: 'the code is small', index: 0 },
    { part: 'tests', text: 'the tests are few', index: 1 },
  ]);
  expect(server.callsOf('claude').length).toBeGreaterThan(0);
  expect(server.callsOf('codex').length).toBeGreaterThan(1);
});
