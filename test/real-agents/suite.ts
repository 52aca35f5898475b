/** The same questions to every real agent program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/port.ts';
import { endOrphans } from '../../src/agents/process/process-tree.ts';
import type { World } from '../../src/agents/settings.ts';
import { isRecord, parseJson } from '../../src/base/safe-json.ts';
import { clearAway } from '../clear-away.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { type Bench, fakeKey, openBench, type Program, shortLimits } from './harness.ts';
import { agentsDirectory, installAgents } from './install.ts';
import { faults, outcomes } from './outcomes.ts';
import { processesWith } from './survivors.ts';

/** What two model calls cost at the scripted figures. */
const twoCalls = { basis: 'measured', inputTokens: 2400, cachedInputTokens: 800, outputTokens: 68 };

/** The answer of the scripted model after it was given README.md, as each agent shows files to it. */
const wholeAnswer = /^SCRIPT-ANSWER prompts=1 tools=1 last=.*# Hello.*The secret word is PLUGH-7741/s;

const schema = {
  type: 'object',
  properties: { vote: { type: 'string' }, reasons: { type: 'array', items: { type: 'string' } } },
  required: ['vote', 'reasons'],
  additionalProperties: false,
};

/** Everything that must hold for a program: with the jail, without it, and for every fault of its model. */
export function describePrograms(programs: readonly Program[], atOnce: number): void {
  let server: ModelServer;
  let bench: Bench;
  let number = 0;

  beforeAll(async () => {
    await installAgents([...new Set<Program>([...programs, 'codex'])], (line) =>
      process.stderr.write(`${line}\n`),
    );
    server = await startModelServer();
    bench = openBench(atOnce);
  }, 900_000);
  afterAll(async () => {
    await server?.close();
    bench?.remove();
  });

  /** An agent with its own base URL, so that its requests can be distinguished. */
  async function seat(program: Program, jail: World['jail'], fault?: string) {
    number += 1;
    const run = `${program}-${number}`;
    const url = fault === undefined ? `${server.url}/run/${run}` : `${server.url}/fault/${fault}/${run}`;
    const agent = await bench.agent(program, fault === 'refused' ? 'http://127.0.0.1:9' : url, jail);
    return { agent, calls: () => server.callsOf(run) };
  }

  for (const jail of ['auto', 'off'] as const) {
    const confinement = jail === 'auto' ? 'bubblewrap' : 'copy';
    describe.concurrent.each(programs)(`%s, confined by ${confinement}`, (program) => {
      test('uses a tool, answers, is measured, and continues in a new process', async () => {
        const { agent, calls } = await seat(program, jail);
        const first = await bench.call(agent, (place) => `Please look. ⟦read ${place}/README.md⟧`);
        expect(first.result).toMatchObject({ kind: 'ok', toolCalls: 1, usage: twoCalls, confinement });
        expect(first.result.text).toContain('SCRIPT-ANSWER prompts=1 tools=1');
        expect(first.result.text).toContain('PLUGH-7741');
        expect(first.events.map(({ type }) => type)).toEqual(
          expect.arrayContaining(['tool-start', 'tool-end']),
        );
        expect(new Set(calls().map(({ credential }) => credential))).toEqual(new Set([fakeKey]));

        const second = await bench.call(agent, (place) => `And now. ⟦read ${place}/a.ts⟧`, { after: first });
        expect(second.result).toMatchObject({ kind: 'ok', toolCalls: 1, usage: twoCalls });
        expect(second.result.text).toContain('SCRIPT-ANSWER prompts=2 tools=1');
        expect(second.result.text).toContain('export const a');
      });

      test('answers in JSON', async () => {
        const { agent } = await seat(program, jail);
        const answer = { vote: 'YES', reasons: ['it is small', 'it is "quoted"'] };
        const { result } = await bench.call(agent, () => `Vote. ⟦json ${JSON.stringify(answer)}⟧`, {
          schema,
        });
        expect(result).toMatchObject({ kind: 'ok', value: answer });
      });

      test('cannot write with read access, by tool or by shell', async () => {
        const { agent, calls } = await seat(program, jail);
        const directory = bench.project();
        const before = filesOf(directory);
        const outside = path.join(bench.root, `outside-${program}-${jail}`);
        const script = (place: string) =>
          `⟦write ${place}/evil-tool.txt⟧⟦shell echo x > ${place}/evil-shell.txt; echo x > ${outside}⟧`;
        const { result } = await bench.call(agent, (place) => `Change things. ${script(place)}`, {
          directory,
        });
        expect(calls().length).toBeGreaterThan(0);
        expect(filesOf(directory)).toEqual(before);
        // goose has no reading mode: without a jail only its copy takes the blow, and the call is not counted.
        expect(result.kind).toBe(program === 'goose' && jail === 'off' ? 'denied' : 'ok');
        if (jail === 'auto') expect(readdirSync(bench.root)).not.toContain(path.basename(outside));
      });

      test('leaves no process behind when it is cancelled in a tool', async () => {
        const { agent } = await seat(program, jail);
        await expectNoSurvivor(bench, agent);
      });

      test('leaves no process behind when we are killed', async () => {
        await expectNoOrphan(program, `${server.url}/run/killed`, jail);
      });
    });
  }

  describe.concurrent.each(programs)('%s, asked how it is', (program) => {
    test('is healthy when it answers (L-125), and not when its key is refused (L-126)', async () => {
      const { agent } = await seat(program, 'auto');
      expect(await bench.probe(agent)).toEqual({ healthy: true });
      const { agent: refused } = await seat(program, 'auto', '401');
      expect(await bench.probe(refused)).toMatchObject({
        healthy: false,
        message: expect.stringMatching(/\w/),
      });
    });

    test('branches off a conversation where it says it can', async () => {
      const { agent } = await seat(program, 'auto');
      if (!agent.capabilities.fork) return;
      const first = await bench.call(agent, () => 'Begin. ⟦say one⟧');
      const resume = { session: first.result.session ?? '', fork: true };
      const { directory } = first;
      const branches = await Promise.all(
        ['left', 'right'].map((side) =>
          bench.call(agent, () => `Go ${side}. ⟦delay 1⟧`, { resume, directory }),
        ),
      );
      for (const { result } of branches) {
        expect(result).toMatchObject({ kind: 'ok', text: expect.stringContaining('prompts=2 tools=0') });
      }
      const sessions = [first, ...branches].map(({ result }) => result.session);
      expect(new Set(sessions).size).toBe(3);
    });
  });

  describe.concurrent.each(programs)('%s, when its model fails', (program) => {
    test.each(faults)('%s', async (fault) => {
      const expected = outcomes[program][fault];
      const { agent } = await seat(program, 'auto', fault);
      const { result } = await bench.call(
        agent,
        (place) => `Please look. ⟦read ${place}/README.md⟧`,
        expected === 'timeout' ? { limits: shortLimits(program) } : {},
      );
      const kind = result.kind === 'ok' && !wholeAnswer.test(result.text) ? 'garbled' : result.kind;
      expect({ kind, message: result.message }).toMatchObject({ kind: expected });
      if (expected === 'garbled') expect(agent.capabilities.trust).toBe('schema-only');
      if (result.kind !== 'ok') expect(result.message).toMatch(/\w/);
    });
  });
}

/** Cancels a call while the agent's own shell waits; with write access, since only then every agent has a shell. */
async function expectNoSurvivor(bench: Bench, agent: Agent): Promise<void> {
  const mark = newMark();
  const controller = new AbortController();
  let seen = 0;
  const watch = setInterval(() => {
    seen = Math.max(seen, processesWith(`tail\0-F\0${mark}`).length);
    if (seen >= 2) controller.abort();
  }, 200);
  const { result, laneDirectory } = await bench.call(agent, () => `Wait. ⟦shell ${waiting(mark)}⟧`, {
    access: 'write',
    signal: controller.signal,
  });
  clearInterval(watch);
  expect({ seen, result }).toMatchObject({ seen: 2, result: { kind: 'cancelled' } });
  expect(processesWith(mark)).toEqual([]);
  const record = parseJson(readFileSync(path.join(laneDirectory, 'process.json'), 'utf8'), 'process.json');
  const marker = isRecord(record) ? String(record['marker']) : '';
  expect(marker).not.toBe('');
  expect(processesWith(marker)).toEqual([]);
}

/** Kills the caller with SIGKILL while the agent's shell waits. The jail takes all down; without it the next command does. */
async function expectNoOrphan(program: Program, url: string, jail: World['jail']): Promise<void> {
  const mark = newMark();
  const script = path.join(import.meta.dirname, 'call-once.ts');
  const args = [script, program, url, jail, `Wait. ⟦shell ${waiting(mark)}⟧`];
  const env = { PATH: process.env['PATH'], CHARRETTE_TEST_AGENTS_DIR: agentsDirectory() };
  const caller = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(caller.stdout, 'data')) as [Buffer];
  const root = line.toString().trim();
  try {
    expect(await until(() => processesWith(`tail\0-F\0${mark}`).length === 2)).toBe(true);
    caller.kill('SIGKILL');
    await once(caller, 'exit');
    if (jail === 'off') {
      const lanes = readdirSync(path.join(root, 'lanes')).map((lane) => path.join(root, 'lanes', lane));
      expect(await endOrphans(lanes)).toEqual(lanes);
    }
    expect(await until(() => processesWith(mark).length === 0)).toBe(true);
  } finally {
    caller.kill('SIGKILL');
    clearAway(root);
  }
}

/** Looks until it holds, for at most some minutes. */
async function until(holds: () => boolean): Promise<boolean> {
  for (let look = 0; look < 1200; look += 1) {
    if (holds()) return true;
    await sleep(200);
  }
  return false;
}

const newMark = () => `/absent-${Math.floor(Math.random() * 1e12)}`;

/** One child in the foreground, and one that has left its session. */
const waiting = (mark: string) => `setsid tail -F ${mark} & tail -F ${mark}`;

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .sort()
    .map((file) => `${file}: ${readFileSync(path.join(folder, file), 'utf8')}`);
}
