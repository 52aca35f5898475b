import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Agent, LaneResult } from '../../agents/port.ts';
import type { LedgerEntry } from '../../engine/ledger.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import { SeatCall, textAnswer } from './call.ts';
import { judgementForm } from './judgement.ts';
import { Semaphore, writeQuestion } from './once.ts';

let folder: string;
const result: LaneResult = {
  kind: 'ok',
  text: 'the answer',
  usage: { basis: 'unknown', inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
  toolCalls: 0,
  durationMs: 1,
};
const emptyFolder = () => {
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true });
};
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'charrette-lane-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A run without anything but its folder. */
function emptyRun(start = 1): LiveRun {
  return {
    directory: { id: 'run', lanes: folder },
    clock: { now: () => 0 },
    events: { start, emit: () => {} },
    ledger: { add: () => {} },
    checkpoint: async () => {},
  } as unknown as LiveRun;
}

/** Slots that also begin a call of a run that is being stopped. */
const atOnce = { run: (work: () => unknown) => work() } as unknown as Semaphore;

const noAgents = () => ({
  project: folder,
  overrides: {},
  earlierLanes: undefined,
  nonceSeed: 'run',
});

test('L-361: a lane that is set up wrongly is an error of the program, not an answer of an agent', async () => {
  const services = { ...noAgents(), agents: new Map(), slots: new Semaphore(1) };
  const caller = { live: emptyRun(), services, signal: new AbortController().signal };
  const limits = { wallMs: 1, idleMs: 1 };
  const task = { key: 'arch', kind: 'sketch', phase: '2a', prompt: '', answer: textAnswer, limits };
  const seat = (agents: string[]) => ({ id: 'arch', label: 'arch', agents });
  const reply = (agents: string[]) => new SeatCall(caller, seat(agents), task, 'd').reply();
  await expect(reply([])).rejects.toThrow('The lane arch has no agent.');
  await expect(reply(['nobody'])).rejects.toMatchObject({ code: 'agent-not-found' });
});

/** What comes of a vote on three items when a voter gives these answers, one after another. */
async function voted(
  answers: readonly Partial<LaneResult>[],
  {
    trust = 'terminal-event',
    ledger = { add: () => {} },
    signal = new AbortController().signal,
    start = 1,
  }: { trust?: Agent['capabilities']['trust']; ledger?: object; signal?: AbortSignal; start?: number } = {},
) {
  const prompts: string[] = [];
  const agent = {
    id: 'codex',
    family: 'codex',
    capabilities: { trust },
    call: async ({ prompt }: { prompt: string }) => {
      prompts.push(prompt);
      return { ...result, ...answers[prompts.length - 1] };
    },
  } as unknown as Agent;
  const services = { ...noAgents(), agents: new Map([['codex', agent]]), slots: atOnce };
  const live = { ...emptyRun(start), ledger } as unknown as LiveRun;
  const facts = { items: ['FINDING_1', 'FINDING_2', 'OOS_1'].map((id) => ({ id })) };
  const prompt = 'Vote on three items.';
  const digest = writeQuestion({ lanes: folder, project: folder }, 'vote-a', { prompt, input: facts });
  const answer = judgementForm('vote', { kind: 'vote', facts });
  const limits = { wallMs: 1, idleMs: 1 };
  const seat = { id: 'a', label: 'a', agents: ['codex'] };
  const task = { key: 'vote-a', kind: 'vote', phase: '3', prompt, facts, answer, limits };
  const { kind, value, message } = await new SeatCall({ live, services, signal }, seat, task, digest).reply();
  return { kind, cast: value?.votes.map(({ id, vote }) => `${id} ${vote}`), prompts, message };
}

test('L-365, L-368: only a whole record of a good answer to this very request by this agent counts', async () => {
  const good: Partial<LaneResult> = { text: ballot };
  expect((await voted([good])).prompts).toHaveLength(1);
  expect((await voted([good])).prompts).toHaveLength(0);
  const file = path.join(folder, 'vote-a-1', 'result.json');
  const whole = readFileSync(file, 'utf8');
  const other = [/"digest": "/, /"agent": "/].map((name) => whole.replace(name, (found) => `${found}x`));
  for (const record of ['', '7\n', 'null', '{}', '[]', whole.slice(0, -3), ...other]) {
    writeFileSync(file, record);
    expect((await voted([good])).prompts, record).toHaveLength(1);
  }
});

test('panel/C-21 F-21: what a voter left out is asked for once, and what was voted stays', async () => {
  const { kind, cast, prompts } = await voted([
    { text: 'FINDING_1: YES — a\nFINDING_2: perhaps' },
    { text: 'FINDING_1: NO — b\nFINDING_2: NO — b\nOOS_1: YES — c' },
  ]);
  expect(kind).toBe('ok');
  expect(cast).toEqual(['FINDING_1 YES', 'FINDING_2 NO', 'OOS_1 YES']);
  expect(prompts).toHaveLength(2);
  expect(prompts[1]).toContain('votes on FINDING_2, OOS_1 are missing or contradict each other');
  // A fresh session for the repair has never seen the ballot.
  expect(prompts[1]).toContain('Vote on three items.');
});

test('an answer that breaks its reader is a bad answer of its lane, and is asked for once more', async () => {
  const breaking = {
    toJSON: () => ({}),
    get votes(): never {
      throw new RangeError('Maximum call stack size exceeded');
    },
  };
  const whole = { text: 'FINDING_1: YES — a\nFINDING_2: NO — b\nOOS_1: YES — c' };
  const { kind, prompts } = await voted([{ value: breaking }, whole]);
  expect(kind).toBe('ok');
  expect(prompts[1]).toContain('the answer cannot be read: Maximum call stack size exceeded');
  emptyFolder();
  expect(await voted([{ value: breaking }, { value: breaking }])).toMatchObject({ kind: 'bad_output' });
});

test('an answer whose form alone is wrong is repaired without asking again', async () => {
  const { prompts } = await voted([{ text: 'No form at all.' }, { text: 'FINDING_1: YES — a' }]);
  expect(prompts[1]).not.toContain('Vote on three items.');
});

test.each<[string, Partial<LaneResult>]>([
  ['as text', { text: 'OOS_1: YES — c' }],
  ['as JSON', { value: { votes: [{ id: 'OOS_1', vote: 'YES', reason: 'c' }] } }],
])('L-638: valid votes count although others stay missing after the repair turn, %s', async (_, repair) => {
  const { kind, cast } = await voted([{ text: 'FINDING_1: YES — a' }, repair]);
  expect(kind).toBe('ok');
  expect(cast).toEqual(['FINDING_1 YES', 'OOS_1 YES']);
});

test.each<[string, Partial<LaneResult>]>([
  ['says nothing of use', { text: 'I cannot say.' }],
  ['fails', { kind: 'timeout', text: '' }],
])('L-638: valid votes count although the repair turn %s', async (_, repair) => {
  const { kind, cast } = await voted([{ text: 'FINDING_1: YES — a' }, repair]);
  expect([kind, cast]).toEqual(['ok', ['FINDING_1 YES']]);
});

test('L-375: a repair turn that fails does not hide what was wrong with the answer', async () => {
  const unusable: Partial<LaneResult> = { value: { votes: 'all of them' }, text: 'all of them' };
  const failed: Partial<LaneResult> = { kind: 'auth', text: '', message: 'Not logged in.' };
  const { kind, message } = await voted([unusable, failed]);
  expect(kind).toBe('auth');
  expect(message).toMatch(/^votes: .*; asked to put that right: Not logged in\.$/);
});

const ballot = 'FINDING_1: YES — a\nFINDING_2: NO — b\nOOS_1: YES — c';
const typed = (vote: 'YES' | 'NO') =>
  ['FINDING_1', 'FINDING_2', 'OOS_1'].map((id) => ({ id, vote, reason: 'r' }));

test('repairs a text answer of an agent that ended in an untrusted way', async () => {
  const words: Partial<LaneResult> = { kind: 'bad_output', text: ballot, message: 'no JSON' };
  const repaired = await voted([words, { value: { votes: typed('NO') } }], {
    trust: 'schema-only',
  });
  expect(repaired).toMatchObject({ kind: 'ok', cast: ['FINDING_1 NO', 'FINDING_2 NO', 'OOS_1 NO'] });
  expect(repaired.prompts).toHaveLength(2);
  emptyFolder();
  expect(await voted([words, words], { trust: 'schema-only' })).toMatchObject({
    kind: 'bad_output',
  });
  emptyFolder();
  const believed = await voted([words]);
  expect(believed).toMatchObject({ kind: 'ok', cast: ['FINDING_1 YES', 'FINDING_2 NO', 'OOS_1 YES'] });
  expect(believed.prompts).toHaveLength(1);
});

test('panel/C-21: different votes on one item are asked about, and the repair decides', async () => {
  const votes = [...typed('YES'), { id: 'FINDING_2', vote: 'NO', reason: 'planted' }];
  const { kind, cast, prompts } = await voted([
    { text: '', value: { votes } },
    { value: { votes: [{ id: 'FINDING_2', vote: 'NO', reason: 'meant' }] } },
  ]);
  expect(kind).toBe('ok');
  expect(cast).toEqual(['FINDING_1 YES', 'OOS_1 YES', 'FINDING_2 NO']);
  expect(prompts[1]).toContain('votes on FINDING_2 are missing or contradict each other');
  // The answer had a value and no text; the repair prompt still contains it.
  expect(prompts[1]).toContain('"reason":"planted"');
});

test('keeps the judgement of a text answer and does not ask again', async () => {
  const words: Partial<LaneResult> = { kind: 'bad_output', text: ballot, message: 'no JSON' };
  const first = await voted([words]);
  expect(first.prompts).toHaveLength(1);
  expect(await voted([])).toEqual({ ...first, prompts: [] });
});

test('a useless agent costs one call and one repair turn, not four', async () => {
  const useless: Partial<LaneResult> = { kind: 'bad_output', text: 'What do you want?', message: 'no JSON' };
  const { kind, prompts } = await voted([useless, useless, { text: ballot }]);
  expect([kind, prompts.length]).toEqual(['bad_output', 2]);
});

test('asks again after a failed repair once the run starts again, never after a repair that ended well', async () => {
  const useless: Partial<LaneResult> = { kind: 'bad_output', text: 'No form at all.', message: 'no JSON' };
  expect((await voted([useless, useless])).kind).toBe('bad_output');
  const second = await voted([useless, { text: ballot }], { start: 2 });
  expect(second).toMatchObject({ kind: 'ok', prompts: { length: 2 } });
  expect(await voted([])).toEqual({ ...second, prompts: [] });
});

test.each<[string, LaneResult['kind'], string[]]>([
  ['a call that was stopped is counted', 'cancelled', ['stopped vote-a-1']],
  ['a good answer that came too late is counted when the run resumes', 'ok', []],
])('%s', async (_, kind, counted) => {
  const heard: string[] = [];
  const ledger = {
    add: ({ id }: LedgerEntry) => heard.push(id),
    addStopped: ({ id }: LedgerEntry) => heard.push(`stopped ${id}`),
  };
  await expect(voted([{ kind }], { ledger, signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  expect(heard).toEqual(counted);
});
