import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TemporaryRepository, temporaryRepository } from '../../../test/temporary-repository.ts';
import type { Agent, AgentTask } from '../../agents/port.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import { type CallServices, callAgent, Semaphore } from './once.ts';

let repository: TemporaryRepository;
let told: string[];
let laneDirectory: string;
beforeEach(() => {
  repository = temporaryRepository();
  repository.commit('start');
  told = [];
  laneDirectory = path.join(repository.root, '.charrette', 'build-1-1');
  mkdirSync(laneDirectory, { recursive: true });
});
afterEach(() => repository.remove());

function call(access: AgentTask['access'], deed: () => void): Promise<unknown> {
  const live = { events: { emit: (_id: string, { text }: { text: string }) => told.push(text) } };
  return callAgent(
    { slots: new Semaphore(1), project: repository.root } as unknown as CallServices,
    { id: 'one', call: async () => deed() } as unknown as Agent,
    { access, laneDirectory } as AgentTask,
    {
      signal: new AbortController().signal,
      onEvent: () => {},
      live: live as unknown as LiveRun,
      phase: 'LE',
    },
  );
}

test('reports deleted references, also when the call of the writer failed', async () => {
  const { git } = repository;
  git('branch', 'other');
  const commit = git('rev-parse', 'other');
  const failing = call('write', () => {
    git('branch', '--delete', 'other');
    throw new Error('it failed');
  });
  await expect(failing).rejects.toThrow('it failed');
  expect(told).toEqual([
    `While one worked on build-1-1, refs/heads/other is gone; it was at ${commit}. If that was not you: git update-ref refs/heads/other ${commit}`,
  ]);
});

test('reports nothing for readers and for a writer that touched no reference', async () => {
  await call('write', () => repository.git('branch', 'new'));
  await call('read', () => repository.git('branch', '--delete', 'new'));
  expect(told).toEqual([]);
});

test('of very many a file has all', async () => {
  const { git } = repository;
  const names = Array.from({ length: 12 }, (_, at) => `b${at}`);
  for (const name of names) git('branch', name);
  await call('write', () => git('branch', '--delete', ...names));
  const file = path.join(laneDirectory, 'references.txt');
  expect(told).toHaveLength(11);
  expect(told.at(-1)).toBe(`2 more references were moved; ${file} has all.`);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  expect(lines.map((line) => line.split(' ')[0]?.slice('refs/heads/'.length)).sort()).toEqual(names.sort());
});
