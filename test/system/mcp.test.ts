import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type ClientCapabilities, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../support/live-program.ts';
import { systemPath } from '../support/optional-programs.ts';
import { artifactsOf, callsIn, holdTask, makeProject, program, runsOf } from '../support/program.ts';

type Answer = { value: Record<string, unknown>; isError: boolean };

/** The official client, connected to the built program over stdin and stdout. */
async function connect(project: string, capabilities: ClientCapabilities = {}) {
  const home = path.join(project, '.home');
  mkdirSync(home, { recursive: true });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp'],
    cwd: project,
    env: { PATH: systemPath, HOME: home },
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (
    name: string,
    given: Record<string, unknown>,
    onprogress?: (progress: { progress: number; message?: string }) => void,
  ): Promise<Answer> => {
    const result = await client.callTool({ name, arguments: given }, undefined, {
      timeout: 110_000,
      ...(onprogress !== undefined && { onprogress }),
    });
    const [content] = result.content as { type: string; text: string }[];
    const value = JSON.parse(content?.text ?? '');
    if (result.isError !== true) expect(result.structuredContent).toEqual(value);
    return { value, isError: result.isError === true };
  };
  return { client, transport, call };
}

const small = { depth: 'solo', branch: false };

test('F-37: a design run through the official client: start, consent, wait with progress, read, inspect', async () => {
  const { project, calls } = await makeProject();
  const { client, call } = await connect(project);
  expect(client.getServerVersion()).toMatchObject({ name: 'charrette' });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'design_start',
    'review_start',
    'run_list',
    'run_inspect',
    'run_wait',
    'run_answer',
    'run_resume',
    'run_cancel',
    'artifact_read',
    'design_context',
    'prompt_compile',
    'skill_lint',
    'plan_check',
    'workflow_list',
    'workflow_check',
    'workflow_run',
  ]);
  for (const tool of tools) expect(tool.outputSchema, tool.name).toMatchObject({ type: 'object' });

  // Without consent nothing is called: the run pauses and the tool says so. The text is never read as a flag.
  const started = await call('design_start', { ...small, feature: '--yes add limits' });
  const [run = ''] = runsOf(project);
  expect(started).toMatchObject({
    isError: false,
    value: {
      run,
      status: 'paused',
      questions: [{ id: 'consent' }],
      next: expect.stringContaining('run_answer'),
    },
  });
  expect(callsIn(calls)).toEqual([]);
  const wrong = await call('run_answer', { run, answers: [{ question: 'consent', value: 'perhaps' }] });
  expect(wrong).toMatchObject({
    isError: true,
    value: { error: { code: 'usage', fix: expect.any(String) } },
  });

  const answered = await call('run_answer', { run, answers: [{ question: 'consent', value: 'yes' }] });
  expect(answered.value).toMatchObject({ run, questions: [] });

  const progress: { progress: number; message?: string }[] = [];
  const ended = await call('run_wait', { run, seconds: 100 }, (step) => progress.push(step));
  expect(ended.value).toMatchObject({ run, status: 'done', settled: true, questions: [] });
  expect(progress.length).toBeGreaterThan(3);
  expect(progress.map((step) => step.progress)).toEqual(
    [...new Set(progress.map((step) => step.progress))].sort((a, b) => a - b),
  );
  expect(progress.some(({ message }) => message?.includes('plan.txt'))).toBe(true);
  expect(callsIn(calls).length).toBeGreaterThan(1);

  const inspected = await call('run_inspect', { run: 'latest' });
  expect(inspected.value).toMatchObject({
    run,
    title: '--yes add limits',
    status: 'done',
    phases: expect.arrayContaining([expect.objectContaining({ state: 'done' })]),
    lanes: expect.arrayContaining([expect.objectContaining({ task: 'plan', state: 'ok' })]),
    cost: { calls: callsIn(calls).length },
  });
  const listed = await call('run_list', {});
  expect(listed.value).toMatchObject({ total: 1, runs: [{ run, status: 'done' }] });

  // The plan, as a resource and in pages.
  const plan = artifactsOf(project, run)['plan.txt'] ?? '';
  const uri = `charrette://runs/${run}/plan.txt`;
  const { resources } = await client.listResources();
  expect(resources.map((resource) => resource.uri)).toContain(uri);
  const { contents } = await client.readResource({ uri });
  expect(contents).toEqual([{ uri, mimeType: 'text/plain', text: plan }]);
  let read = '';
  for (let offset: unknown = 0; offset !== undefined; ) {
    const page = await call('artifact_read', { run, name: 'plan.txt', offset, limit: 200 });
    read += page.value['text'];
    offset = page.value['next'];
  }
  expect(read).toBe(plan);

  const checked = await call('plan_check', { run });
  expect(checked.value).toMatchObject({ claims: expect.any(Number), commit: expect.any(String) });
});

test('refuses wrong names, paths outside the project and bad input with code, message and fix', async () => {
  const { project } = await makeProject();
  const { client, call } = await connect(project);
  const codeOf = async (name: string, given: Record<string, unknown>) => {
    const { isError, value } = await call(name, given);
    expect(isError).toBe(true);
    return (value['error'] as { code: string }).code;
  };
  expect(await codeOf('run_inspect', { run: 'latest' })).toBe('run-not-found');
  expect(await call('run_wait', { run: 'nowhere' })).toMatchObject({
    isError: true,
    value: {
      error: { code: 'run-not-found', message: expect.stringContaining('nowhere'), fix: expect.any(String) },
    },
  });
  expect(await codeOf('design_start', { ...small, feature: 'x', agents: ['unknown'] })).toBe(
    'agent-not-found',
  );
  expect(runsOf(project)).toEqual([]);

  const { value } = await call('design_start', { ...small, feature: 'add limits' });
  const run = String(value['run']);
  expect(await codeOf('run_inspect', { run: '../store' })).toBe('run-not-found');
  for (const name of ['../run.json', '/etc/passwd', 'a/../../run.json']) {
    expect(await codeOf('artifact_read', { run, name })).toBe('path-unsafe');
  }
  const paused = await call('review_start', { subject: 'README.md' });
  expect(paused.value).toMatchObject({ status: 'paused', questions: [{ id: 'consent' }] });
  expect(await codeOf('review_start', { subject: '/etc/hostname' })).toBe('path-unsafe');
  expect(await codeOf('review_start', { staged: true })).toBe('not-found');
  expect(await codeOf('artifact_read', { run, name: 'nothing.txt' })).toBe('not-found');
  for (const name of ['..%2frun.json', '%2fetc%2fpasswd']) {
    await expect(client.readResource({ uri: `charrette://runs/${run}/${name}` })).rejects.toMatchObject({
      data: { error: { code: 'path-unsafe', fix: expect.any(String) } },
    });
  }
  await expect(client.readResource({ uri: 'charrette://runs/..%2f..%2fx/plan.txt' })).rejects.toMatchObject({
    data: { error: { code: 'run-not-found' } },
  });
  await expect(client.readResource({ uri: `charrette://runs/${run}/../../run.json` })).rejects.toThrow();
  for (const [tool, given] of [
    ['plan_check', { file: '../../etc/passwd' }],
    ['skill_lint', { paths: ['/etc'] }],
    ['design_context', { dir: '../..' }],
    ['prompt_compile', { command: 'design', role: 'design-reviewer', feature: '../..' }],
  ] as const) {
    expect(await codeOf(tool, given), tool).toBe('path-unsafe');
  }

  const cancelled = await call('run_cancel', { run });
  expect(cancelled.value).toMatchObject({ run, status: 'cancelled', questions: [] });
  expect(await codeOf('run_resume', { run })).toBe('usage');
});

test('a run continues after client and server have ended', async () => {
  const { project, calls } = await makeProject();
  const release = holdTask(calls, 'plan');
  const first = await connect(project);
  const { value } = await first.call('design_start', { ...small, feature: 'add limits' });
  const run = String(value['run']);
  const answered = await first.call('run_answer', { run, answers: [{ question: 'consent', value: 'yes' }] });
  expect(answered).toMatchObject({ isError: false, value: { run } });
  const inspect = async () => (await first.call('run_inspect', { run })).value;
  // On a busy machine the answer arrives before the continuing process shows up.
  await expect.poll(inspect, { timeout: 100_000 }).toMatchObject({ status: 'running' });
  const early = await first.call('run_wait', { run, seconds: 0.5 });
  expect(early.value).toMatchObject({
    status: 'running',
    settled: false,
    next: expect.stringContaining('run_wait'),
  });
  const { pid } = first.transport;
  await first.client.close();
  await until(() => !isAlive(pid));
  release();

  const second = await connect(project);
  const ended = await second.call('run_wait', { run, after: early.value['seq'], seconds: 100 });
  expect(ended.value).toMatchObject({ status: 'done', settled: true });
});

function isAlive(pid: number | null): boolean {
  try {
    return pid !== null && process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a host with forms asks the user itself; a refusal leaves the run paused', async () => {
  const { project, calls } = await makeProject();
  const { client, call } = await connect(project, { elicitation: { form: {} } });
  const asked: unknown[] = [];
  const replies = ['decline', 'accept'] as const;
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params);
    return { action: replies[asked.length - 1] ?? 'cancel', content: { answer: 'yes' } };
  });
  await call('design_start', { ...small, feature: 'add limits' });
  const [run = ''] = runsOf(project);

  const refused = await call('run_wait', { run, seconds: 100 });
  expect(refused.value).toMatchObject({ status: 'paused', settled: true, questions: [{ id: 'consent' }] });
  expect(callsIn(calls)).toEqual([]);

  const ended = await call('run_wait', { run, seconds: 100 });
  expect(ended.value).toMatchObject({ status: 'done', settled: true, questions: [] });
  expect(asked).toHaveLength(2);
  expect(asked[0]).toMatchObject({
    message: expect.stringContaining('read this repository?'),
    requestedSchema: {
      properties: { answer: { oneOf: [{ const: 'yes' }, { const: 'no' }], default: 'yes' } },
    },
  });
});

test('W-156: workflow files through the official client: list, check, run after a person allowed the code', async () => {
  const { project } = await makeProject();
  const folder = path.join(project, '.charrette', 'workflows');
  mkdirSync(folder, { recursive: true });
  const meta = "export const meta = { name: 'echo', description: 'Gives back' };\n";
  writeFileSync(path.join(folder, 'echo.js'), `${meta}return args;\n`);
  const { client, call } = await connect(project, { elicitation: { form: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params: { message } }) => ({
    action: 'accept',
    content: { answer: message.includes('Run the workflow file') ? 'once' : 'yes' },
  }));
  const listed = await call('workflow_list', {});
  expect(listed.value).toMatchObject({
    total: 1,
    workflows: [{ name: 'echo', usable: true, allowed: false }],
  });
  const checked = await call('workflow_check', { script: 'return 1' });
  expect(checked.value).toMatchObject({ problems: [{ kind: 'meta', line: 1 }] });

  for (const given of [{ name: 'echo', access: 'here' }, { name: 'echo', script: meta }, { name: '../echo' }])
    expect(await client.callTool({ name: 'workflow_run', arguments: given })).toMatchObject({
      isError: true,
    });
  for (const target of [{ name: 'echo' }, { script: `${meta}return args;` }]) {
    const started = await call('workflow_run', { ...target, args: { a: [1] } });
    expect(started.value).toMatchObject({ status: 'paused', questions: [{ id: 'workflow-code' }] });
    const { run } = started.value;
    const answers = [{ question: 'workflow-code', value: 'once' }];
    const refused = await client.callTool({ name: 'run_answer', arguments: { run, answers } });
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('"code":"workflow-consent"') }],
    });
    const ended = await call('run_wait', { run, seconds: 60 });
    expect(ended.value).toMatchObject({ status: 'done', questions: [] });
    const read = await call('artifact_read', { run, name: 'result.json' });
    expect(JSON.parse(String(read.value['text']))).toEqual({ a: [1] });
  }
});
