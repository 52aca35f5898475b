import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Agent, type AgentTask, type LaneResult, unknownUsage } from '../../agents/port.ts';
import { probeMemoryFile, probeResume, readProbeMemory, resumeAbility } from './probe.ts';

const folder = () => mkdtempSync(path.join(tmpdir(), 'probe-'));
const answer = (more: Partial<LaneResult>): LaneResult => ({
  kind: 'ok',
  text: '',
  usage: unknownUsage,
  toolCalls: 0,
  durationMs: 1,
  ...more,
});

/** An agent with scripted answers; only a model would write its own. */
function scripted(reply: (task: AgentTask) => Partial<LaneResult>, resume = true): Agent {
  return {
    id: 'scripted',
    family: 'test',
    title: 'Scripted',
    capabilities: {
      write: false,
      schema: true,
      resume,
      fork: false,
      usage: false,
      trust: 'terminal-event',
    },
    call: async (task) => answer(reply(task)),
    probe: async () => ({ healthy: true }),
  };
}

const setting = () => {
  const directory = folder();
  return {
    directory,
    laneDirectory: directory,
    token: 'k3v9',
    signal: new AbortController().signal,
    onEvent: () => {},
  };
};

/** Reads the file that the prompt names, and remembers. */
const honest = (second: Partial<LaneResult>) => (task: AgentTask) => {
  if (task.resume !== undefined) return second;
  const file = /Read the file (\S+)/.exec(task.prompt)?.[1] ?? '';
  expect(readFileSync(file, 'utf8')).toMatch(/^# Probe k3v9\n/);
  return { session: 's1', toolCalls: 1, value: { issues: ['teh', 'recieve', 'seperate'] } };
};

test.each<[string, Partial<LaneResult>, object]>([
  ['remembers', { value: { firstLine: '# Probe k3v9', issueCount: 3 } }, { passed: true }],
  ['fails', { kind: 'server', message: 'HTTP 400' }, { passed: false, reason: 'V2: HTTP 400' }],
  [
    'forgot the line',
    { value: { firstLine: '# Probe', issueCount: 3 } },
    { passed: false, reason: 'V3: the line was not repeated verbatim' },
  ],
  [
    'forgot the issues',
    { value: { firstLine: '# Probe k3v9', issueCount: 1 } },
    { passed: false, reason: 'V4: 1 issues remembered, there were 3' },
  ],
])('T-115: an agent whose continued session %s', async (_name, second, result) => {
  expect(await probeResume(scripted(honest(second)), setting())).toEqual(result);
});

test('T-115: distinguishes no session, no tool use and no ability', async () => {
  expect(
    await probeResume(
      scripted(() => ({ toolCalls: 1 })),
      setting(),
    ),
  ).toEqual({ passed: false, reason: 'V1: no agent id came back' });
  expect(
    await probeResume(
      scripted(() => ({ session: 's', toolCalls: 0 })),
      setting(),
    ),
  ).toEqual({ passed: false, reason: 'V1: the first call did not read the file' });
  expect(
    await probeResume(
      scripted(() => ({}), false),
      setting(),
    ),
  ).toEqual({ passed: false, reason: 'V1: the agent does not offer sessions' });
});

test('an agent is probed once for each of its versions', async () => {
  const root = folder();
  let probes = 0;
  const probe = async () => {
    probes += 1;
    return { passed: false, reason: 'V2: HTTP 400' } as const;
  };
  const ask = (version: string) => resumeAbility(root, { id: 'codex', version }, probe, 't');
  expect(await ask('1.0')).toEqual({ passed: false, reason: 'V2: HTTP 400' });
  expect(await ask('1.0')).toEqual({ passed: false, reason: 'V2: HTTP 400' });
  expect(probes).toBe(1);
  await ask('1.1');
  expect(probes).toBe(2);
  writeFileSync(path.join(root, probeMemoryFile), '{"agents": {"codex": {"version": 1}, "x": 3}');
  expect(await readProbeMemory(root)).toEqual({});
});
