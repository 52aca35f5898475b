import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  type ClientCapabilities,
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { featureDirectory } from '../../../test/support/feature-directory.ts';
import { writeRun } from '../../../test/support/web-run.ts';
import { temporaryRepository } from '../../../test/temporary-repository.ts';
import { parseJson } from '../../base/safe-json.ts';
import { thisProcess } from '../../engine/lock.ts';
import { readRunRecordSync } from '../../engine/run-record.ts';
import { openProject } from '../../service/project.ts';
import { makeServer } from './server.ts';

const skills = path.resolve(import.meta.dirname, '../../..', 'skills');

/** The official client next to the server; it checks every answer against the schema of its tool. */
async function connect(
  cwd: string,
  capabilities: ClientCapabilities = {},
  fillForm?: (request: ElicitRequest) => ElicitResult,
) {
  const server = makeServer(openProject(cwd, { env: { HOME: cwd }, program: [] }));
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities });
  if (fillForm !== undefined) client.setRequestHandler(ElicitRequestSchema, fillForm);
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  onTestFinished(() => client.close());
  await client.listTools();
  return async (name: string, given: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: given });
    const [content] = result.content as { text: string }[];
    if (result.isError !== true) return result.structuredContent as Record<string, unknown>;
    const text = content?.text ?? '';
    // What does not fit the schema is refused with an error of the protocol.
    return text.startsWith('{') ? (parseJson(text, name) as Record<string, unknown>) : { text };
  };
}

test('the prompt of a role comes in pages that are the whole prompt', async () => {
  const { root } = featureDirectory();
  const call = await connect(root);
  const request = { command: 'design', role: 'design-reviewer', feature: 'docs/features/007-search' };
  const whole = await call('prompt_compile', { ...request, limit: 40_000 });
  expect(whole).toMatchObject({ role: 'design-reviewer', tokens: expect.any(Number), offset: 0 });
  expect(whole['text']).toContain('design.md');
  let read = '';
  for (let offset: unknown = 0; offset !== undefined; ) {
    const page = await call('prompt_compile', { ...request, offset, limit: 500 });
    read += String(page['text']);
    offset = page['next'];
  }
  expect(read).toBe(whole['text']);
  expect(await call('prompt_compile', { ...request, role: 'nosuch' })).toMatchObject({
    error: { message: expect.stringContaining('design-reviewer') },
  });
});

test('skills are linted; findings come in pages', async () => {
  const { root } = featureDirectory();
  cpSync(path.join(skills, 'plan'), path.join(root, 'skills', 'plan'), { recursive: true });
  for (const name of ['bare', 'broken']) {
    mkdirSync(path.join(root, 'skills', name));
    writeFileSync(path.join(root, 'skills', name, 'SKILL.md'), 'no front matter, no phases\n');
  }
  const call = await connect(root);
  const all = await call('skill_lint', { paths: ['skills'] });
  expect(all).toMatchObject({
    gate: 'REVIEW',
    packages: [{ path: 'skills/bare' }, { path: 'skills/broken' }, { path: 'skills/plan' }],
  });
  const total = Number(all['total']);
  expect(total).toBeGreaterThan(1);
  const first = await call('skill_lint', { paths: [path.join(root, 'skills')], limit: 1 });
  expect(first).toMatchObject({ total, next: 1, findings: [(all['findings'] as unknown[])[0]] });
});

test('the design context says what is in the block and what is not', async () => {
  const { root } = featureDirectory();
  const call = await connect(root);
  expect(await call('design_context', {})).toMatchObject({ outcome: 'folder-missing' });
  mkdirSync(path.join(root, 'notes'));
  writeFileSync(path.join(root, 'notes', 'spec.md'), '# Spec\n\nLimits are per customer.\n');
  const loaded = await call('design_context', { dir: 'notes' });
  expect(loaded).toMatchObject({
    outcome: 'loaded',
    text: expect.stringContaining('Limits are per customer.'),
    files: expect.arrayContaining([{ token: 'spec', path: 'notes/spec.md', state: 'whole' }]),
  });
  expect(await call('design_context', { for: 'plan', task: 'limits', dir: 'notes' })).toMatchObject({
    text: expect.stringContaining('Limits are per customer.'),
  });
});

test('a run that cannot be read is an error of the tool, and the server continues', async () => {
  const { root } = featureDirectory();
  const runs = path.join(root, '.charrette', 'runs');
  mkdirSync(path.join(runs, 'empty'), { recursive: true });
  const broken = writeRun({ run: 'broken' }, root);
  writeFileSync(broken.directory.record, '{');
  const blocked = writeRun({ run: 'blocked', status: 'running', process: thisProcess() }, root);
  rmSync(blocked.directory.events);
  mkdirSync(blocked.directory.events);
  const call = await connect(root);
  expect(await call('run_wait', { run: 'empty' })).toMatchObject({ error: { code: 'run-not-found' } });
  expect(await call('run_wait', { run: 'broken' })).toMatchObject({ error: { code: 'json-invalid' } });
  expect(await call('run_wait', { run: 'blocked' })).toMatchObject({ error: { code: expect.any(String) } });
  expect(await call('run_list', {})).toMatchObject({ total: 3 });
});

test('an answer that would change nothing is refused; what is left waits no more to be asked', async () => {
  const { root } = featureDirectory();
  const { directory } = writeRun({ status: 'paused' }, root);
  const questions = ['q', 'r'].map((id) => ({ id, text: 'Sure?' }));
  const answers = [{ question: 'q', value: 'yes', source: 'person' }];
  writeFileSync(
    directory.questions,
    JSON.stringify({ schemaVersion: 1, run: directory.id, questions, answers }),
  );
  const call = await connect(root);
  const answer = (question: string, value: string) =>
    call('run_answer', { run: directory.id, answers: [{ question, value }], resume: false });
  expect(await answer('q', 'no')).toMatchObject({
    error: { code: 'usage', message: 'q was answered: yes' },
  });
  expect(await answer('q', 'yes')).toMatchObject({ questions: [{ id: 'r' }] });
  expect(await answer('r', 'no')).toMatchObject({
    status: 'paused',
    questions: [],
    next: expect.stringContaining('run_resume'),
  });
  expect(await answer('r', 'yes')).toMatchObject({ error: { message: 'r was answered: no' } });
});

test('an empty name means no run, not the only one', async () => {
  const { root } = featureDirectory();
  const { directory } = writeRun({ status: 'paused' }, root);
  const call = await connect(root);
  for (const [tool, run, refused] of [
    ['run_cancel', '', { text: expect.stringContaining('run') }],
    ['run_cancel', ' ', { error: { code: 'usage' } }],
    ['run_resume', '', { text: expect.stringContaining('run') }],
  ] as const) {
    expect(await call(tool, { run }), tool).toMatchObject(refused);
  }
  expect(readRunRecordSync(directory).status).toBe('paused');
});

test.each([
  ['design_start', { feature: 'add limits', max_usd: 1 }, 'max_usd'],
  ['plan_check', { plan: 'PLAN.md' }, 'plan'],
  ['run_list', { status: 'paused' }, 'status'],
])('%s refuses a name that it does not know instead of doing without it', async (tool, given, name) => {
  const { root } = featureDirectory();
  const call = await connect(root);
  expect(await call(tool, given)).toEqual({ text: expect.stringContaining(`"${name}"`) });
});

test.each([
  ['run_wait', {}, 'expected a text, found nothing at run'],
  ['run_wait', { run: 'x', seconds: 900 }, 'expected at most 600, found 900 at seconds'],
  ['run_list', { limit: 'many' }, 'found a text at limit'],
  ['run_answer', { run: 'x', answers: [{ question: 'a=b', value: 3 }] }, 'without = at answers[0].question'],
  ['plan_check', { plan: 'PLAN.md' }, 'unknown key "plan"; known are '],
])('%s given %j says in plain words what it takes', async (tool, given, words) => {
  const { root } = featureDirectory();
  const call = await connect(root);
  const said = await call(tool, given);
  expect(said).toEqual({ text: expect.stringContaining(words) });
  expect(said).not.toEqual({ text: expect.stringMatching(/Invalid input|Too big|Unrecognized/) });
});

test('waiting takes any part of a second', async () => {
  const { root } = featureDirectory();
  const { directory } = writeRun({ status: 'stopped' }, root);
  const call = await connect(root);
  for (const seconds of [0.0001, 1.0005])
    expect(await call('run_wait', { run: directory.id, seconds })).toMatchObject({ status: 'stopped' });
});

test('a run in the queue is not to be resumed: it waits for a worker', async () => {
  const { root } = featureDirectory();
  const { directory } = writeRun({ status: 'queued', queue: { labels: [], yes: false } }, root);
  const call = await connect(root);
  expect(await call('run_inspect', { run: directory.id })).toMatchObject({
    status: 'queued',
    next: expect.stringContaining('waits for a worker'),
  });
});

test('text with a NUL is refused by the schema, not by the system', async () => {
  const { root } = featureDirectory();
  const call = await connect(root);
  for (const given of [{ feature: 'a\0b' }, { feature: 'a', author: '\0' }, { feature: 'a', agents: ['\0'] }])
    expect(await call('design_start', given)).toMatchObject({
      text: expect.stringContaining('must be text without NUL'),
    });
});

test('a link that leads out of the project is refused', async () => {
  const { root } = featureDirectory();
  symlinkSync('/etc', path.join(root, 'elsewhere'));
  const call = await connect(root);
  for (const [tool, given] of [
    ['skill_lint', { paths: ['elsewhere'] }],
    ['design_context', { dir: 'elsewhere' }],
    ['plan_check', { file: 'elsewhere/passwd' }],
  ] as const) {
    expect(await call(tool, given), tool).toMatchObject({ error: { code: 'path-unsafe' } });
  }
});

test.each([
  ['other elicitation than forms', { url: {} }, 0],
  ['elicitation of no particular kind', {}, 1],
  ['forms', { form: {} }, 1],
])(
  'a host with %s gets the open questions back when no one answers them',
  async (_what, elicitation, forms) => {
    const { root } = featureDirectory();
    const { directory } = writeRun({ status: 'paused' }, root);
    const questions = [{ id: 'q', text: 'Sure?' }];
    writeFileSync(
      directory.questions,
      JSON.stringify({ schemaVersion: 1, run: directory.id, questions, answers: [] }),
    );
    const shown: ElicitRequest[] = [];
    const call = await connect(root, { elicitation }, (request) => {
      shown.push(request);
      return { action: 'decline' };
    });
    expect(await call('run_wait', { run: directory.id })).toMatchObject({
      status: 'paused',
      settled: true,
      questions: [{ id: 'q' }],
      next: expect.stringContaining('run_answer'),
    });
    expect(shown).toHaveLength(forms);
  },
);

test('a lite plan is checked: its tasks, its waves, and what is wrong with them', async () => {
  const repository = temporaryRepository();
  onTestFinished(repository.remove);
  repository.write('src/a.ts', 'export const a = 1;\n');
  repository.commit('begin');
  const task = (id: string, file: string, depends_on: string[]) => ({
    id,
    title: id,
    description: 'It.',
    depends_on,
    files: [{ path: file, action: 'modify' }],
    implementation: ['One.', 'Two.'],
    convergence: { criteria: [`${file} exports it`] },
  });
  repository.write('lite/.task/TASK-001.json', JSON.stringify(task('TASK-001', 'src/a.ts', [])));
  repository.write('lite/.task/TASK-002.json', JSON.stringify(task('TASK-002', 'src/gone.ts', ['TASK-001'])));
  const _metadata = { timestamp: 'now', source: 'direct-planning', plan_type: 'feature' };
  const task_ids = ['TASK-001', 'TASK-002'];
  const plan = { summary: 's', approach: 'a', complexity: 'Low', task_ids, task_count: 2, _metadata };
  repository.write('lite/plan.json', JSON.stringify(plan));
  const call = await connect(repository.root);
  expect(await call('plan_check', { file: 'lite' })).toMatchObject({
    tasks: task_ids,
    waves: [['TASK-001'], ['TASK-002']],
    errors: 1,
    open: [
      {
        check: 'task',
        subject: 'TASK-002',
        severity: 'error',
        reason: expect.stringContaining('src/gone.ts'),
      },
    ],
  });
});

test('what to read first of a run that ended is something that it has', async () => {
  const { root } = featureDirectory();
  const call = await connect(root);
  const nextOf = async (workflow: string, ...artifacts: string[]) => {
    const { directory, artifact } = writeRun({ run: `${workflow}-${artifacts.length}`, workflow }, root);
    for (const name of artifacts) artifact(name, 'x');
    return (await call('run_wait', { run: directory.id }))['next'];
  };
  expect(await nextOf('design', 'plan.json', 'plan.txt')).toContain('(plan.txt)');
  expect(await nextOf('lite-plan', 'plan.json')).toContain('(plan.json)');
  expect(await nextOf('lite-plan', 'plan.json', 'execution-summary.md')).toContain('(execution-summary.md)');
  expect(await nextOf('compare', 'comparison.md')).toContain('(comparison.md)');
  expect(await nextOf('lite-execute')).toContain('run_inspect');
});
