import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeExampleRepository } from '../../scripts/example-repository.mjs';
import { parseJson } from '../../src/base/safe-json.ts';
import { clearAway } from '../clear-away.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { agentCommand, installAgents } from '../real-agents/install.ts';
import { startCharrette, until } from '../support/live-program.ts';
import { artifactsOf, charrette, runsOf } from '../support/program.ts';

const skill = path.resolve(import.meta.dirname, '..', '..', 'skills', 'lite-plan');
const session = 'limit-requests-2026-01-01';
const folder = `.workflow/.lite-plan/${session}`;
const plan = {
  summary: 'Limit requests',
  approach: 'A counter per client',
  task_ids: ['TASK-001'],
  task_count: 1,
  complexity: 'Low',
  _metadata: { source: 'direct-planning' },
};
const execution = { results: [{ id: 'TASK-001', status: 'completed', changed_files: ['src/limit.js'] }] };

const phaseOf = (prompt: string) => Number(/^You run phase (\d+) \(/m.exec(prompt)?.[1] ?? 0);
const write = (file: string, value: unknown) =>
  `mkdir -p ${path.posix.dirname(file)} && printf '%s' '${JSON.stringify(value)}' > ${file}`;

/** What a model does in each phase: files with the agent's own tools, then the answer that the phase declares. */
const replies = {
  1: {
    steps: [
      { verb: 'shell', argument: write(`${folder}/plan.json`, plan) },
      { verb: 'shell', argument: write(`${folder}/.task/TASK-001.json`, { id: 'TASK-001' }) },
    ],
    json: {
      status: 'DONE',
      summary: 'One task.',
      outputs: { planPath: `${folder}/plan.json`, sessionId: session },
    },
  },
  2: {
    steps: [
      { verb: 'shell', argument: "mkdir -p src && printf 'export const limit = 10;\\n' > src/limit.js" },
      { verb: 'shell', argument: write(`${folder}/execution.json`, execution) },
    ],
    json: { status: 'DONE', summary: 'Done.', outputs: { executionSummary: 'TASK-001 completed' } },
  },
} as const;

let server: ModelServer;
let slowly = false;
const folders: string[] = [];

beforeAll(async () => {
  await installAgents(['claude', 'codex']);
  server = await startModelServer({
    rules: [
      {
        when: /^You run phase \d+ \(/m,
        reply: (prompt) => {
          const reply = phaseOf(prompt) === 1 ? replies[1] : replies[2];
          return {
            steps: [...reply.steps],
            json: reply.json,
            ...(slowly && phaseOf(prompt) === 2 ? { delayMs: 60_000 } : {}),
          };
        },
      },
    ],
  });
});

afterAll(async () => {
  await server?.close();
  clearAway(...folders);
});

function makeProject(program: 'claude' | 'codex', run: string): string {
  const parent = mkdtempSync(path.join(tmpdir(), 'charrette-real-skill-'));
  folders.push(parent);
  const project = path.join(parent, 'shop');
  makeExampleRepository(project);
  mkdirSync(path.join(project, '.charrette'), { recursive: true });
  const key = program === 'claude' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY';
  const agent = {
    protocol: program,
    command: agentCommand(program),
    model: 'scripted-model',
    baseUrl: `${server.url}/run/${run}${program === 'claude' ? '' : '/v1'}`,
    env: { [key]: 'key-of-the-test' },
  };
  const config = { detect: false, agents: { [program]: agent } };
  writeFileSync(path.join(project, '.charrette', 'config.json'), JSON.stringify(config));
  return project;
}

/** Phases whose document reached the model, one entry for each first request. */
const phasesAsked = (run: string) =>
  server
    .callsOf(run)
    .filter(({ turns }) => turns.every(({ role }) => role !== 'tool'))
    .map(({ turns }) => Math.max(...turns.map(({ text }) => phaseOf(text))))
    .filter((phase) => phase > 0);

function expectDone(project: string): void {
  const [run = ''] = runsOf(project);
  const artifacts = artifactsOf(project, run);
  expect(parseJson(artifacts['outputs.json'] ?? '', 'outputs')).toMatchObject({
    planPath: `${folder}/plan.json`,
    sessionId: session,
    executionSummary: 'TASK-001 completed',
  });
  expect(artifacts['summary.md']).toMatch(/\nDONE\n$/);
  expect(parseJson(readFileSync(path.join(project, folder, 'plan.json'), 'utf8'), 'plan')).toEqual(plan);
  expect(readFileSync(path.join(project, 'src/limit.js'), 'utf8')).toContain('limit = 10');
  const ledger = readFileSync(path.join(project, '.charrette', 'runs', run, 'ledger.jsonl'), 'utf8');
  expect(ledger.trim().split('\n')).toHaveLength(2);
  expect(ledger).not.toContain('"basis":"unknown"');
}

test.each(['claude', 'codex'] as const)(
  'skill run completes the shipped lite-plan package with the real %s program',
  async (program) => {
    const project = makeProject(program, `${program}-whole`);
    const ended = await charrette(
      ['skill', 'run', skill, 'limit requests', '--yes', '--mode', 'workflow:lite-plan'],
      { cwd: project },
    );
    expect(ended.code, ended.stderr).toBe(0);
    expect(phasesAsked(`${program}-whole`)).toEqual([1, 2]);
    // A phase document is loaded when its phase runs, not before.
    const [first] = server.callsOf(`${program}-whole`);
    expect(first?.turns.some(({ text }) => text.includes('# Phase 2: Lite Execute'))).toBe(false);
    expectDone(project);
  },
);

test('killed while the real claude program is in the middle of phase 2, the run resumes phase 2 and does not repeat phase 1', async () => {
  const project = makeProject('claude', 'claude-killed');
  slowly = true;
  const live = startCharrette(['skill', 'run', skill, 'limit requests', '--yes'], { cwd: project });
  await until(() => phasesAsked('claude-killed').includes(2), 120_000);
  live.kill('SIGKILL');
  await live.ended;
  slowly = false;
  const resumed = await charrette(['skill', 'run', '--resume', 'latest'], { cwd: project });
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(phasesAsked('claude-killed').filter((phase) => phase === 1)).toHaveLength(1);
  expectDone(project);
});
