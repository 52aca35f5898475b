import { expect, test } from 'vitest';
import type { Agent, AgentTask } from '../../agents/port.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import { type CallServices, callAgent, Semaphore } from './once.ts';

test('a call that waits for its turn keeps no place from calls of other agents', async () => {
  const called: string[] = [];
  const agent = (id: string) => ({ id, call: async () => void called.push(id) }) as unknown as Agent;
  let grant = () => {};
  const granted = new Promise<void>((resolve) => (grant = resolve));
  const services = {
    slots: new Semaphore(1),
    turn: async (id: string, _signal: AbortSignal, body: () => Promise<unknown>) => {
      if (id === 'limited') await granted;
      return body();
    },
  } as unknown as CallServices;
  const live = {} as LiveRun;
  const context = { signal: new AbortController().signal, onEvent: () => {}, live, phase: '' };
  const limited = callAgent(services, agent('limited'), {} as AgentTask, context);
  await callAgent(services, agent('free'), {} as AgentTask, context);
  expect(called).toEqual(['free']);
  grant();
  await limited;
  expect(called).toEqual(['free', 'limited']);
});
