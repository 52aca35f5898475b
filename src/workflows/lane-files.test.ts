import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LaneResult } from '../agents/port.ts';
import type { WorkflowContext } from '../engine/workflow.ts';
import { type LaneRequest, laneWorkflow } from './lane.ts';
import { beginAttempt, finishAttempt, finishedAttempt, readQuestion, writeQuestion } from './lane-files.ts';

let folder: string;
const result: LaneResult = {
  kind: 'ok',
  text: 'the answer',
  usage: { basis: 'unknown', inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
  toolCalls: 0,
  durationMs: 1,
};
const record = { schemaVersion: 1, digest: 'd', agent: 'codex', task: 'sketch', result } as const;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'charrette-lane-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('L-365, L-368: only a whole record of a good answer to this very request by this agent counts', () => {
  beginAttempt(folder, 'the prompt');
  expect(finishedAttempt(folder, 'd', 'codex')).toBeUndefined();
  finishAttempt(folder, record);
  expect(finishedAttempt(folder, 'd', 'codex')).toEqual(result);
  expect(finishedAttempt(folder, 'other', 'codex')).toBeUndefined();
  expect(finishedAttempt(folder, 'd', 'cursor')).toBeUndefined();
  const file = path.join(folder, 'result.json');
  const whole = readFileSync(file, 'utf8');
  for (const corrupt of [
    '',
    '7\n',
    'null',
    '{}',
    '[]',
    whole.slice(0, -3),
    whole.replace('"ok"', '"crash"'),
  ]) {
    writeFileSync(file, corrupt);
    expect(finishedAttempt(folder, 'd', 'codex'), corrupt).toBeUndefined();
  }
});

test('L-367: a question that cannot be read fails its own lane and names it', () => {
  writeQuestion(folder, 'good', { prompt: 'p', input: {} });
  writeFileSync(path.join(folder, 'bad.json'), '{"prompt": ');
  expect(readQuestion(folder, 'good')).toEqual({ prompt: 'p', input: {} });
  expect(() => readQuestion(folder, 'bad')).toThrow('The question of lane bad cannot be read.');
});

test('L-361: a lane that is set up wrongly is an error of the program, not an answer of an agent', async () => {
  const services = {
    agents: new Map(),
    slots: undefined as never,
    project: folder,
    overrides: {},
    earlierLanes: undefined,
    nonceSeed: 'run',
  };
  const lane = laneWorkflow(async () => services);
  const context = { live: {}, clock: { now: () => 0 }, emit: () => {} } as unknown as WorkflowContext;
  const request: LaneRequest = {
    lane: 'arch',
    phase: '2a',
    task: 'sketch',
    seat: 'arch',
    agents: [],
    judgement: 'sketch',
    wallMs: 1,
    idleMs: 1,
    digest: 'd',
  };
  await expect(lane.run(context, request)).rejects.toThrow('The lane arch has no agent.');
  await expect(lane.run(context, { ...request, agents: ['nobody'] })).rejects.toMatchObject({
    code: 'agent-not-found',
  });
});
