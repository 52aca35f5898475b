import { pbkdf2 } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemPath } from '../../test/support/optional-programs.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import { endOrphans, listProcesses, readProcessRecord, readRow } from './process/process-tree.ts';
import { type ProcessRequest, runProcess, startProcess } from './run-process.ts';

const agents = path.join(import.meta.dirname, 'fixtures/agents');
let lane: string;

beforeEach(() => {
  lane = mkdtempSync(path.join(tmpdir(), 'lane-'));
});
afterEach(() => rmSync(lane, { recursive: true, force: true }));

function request(agent: string, changes: Partial<ProcessRequest> & { args?: string[] } = {}): ProcessRequest {
  return {
    argv: [process.execPath, path.join(agents, agent), ...(changes.args ?? [])],
    directory: lane,
    environment: { PATH: systemPath },
    input: '',
    laneDirectory: lane,
    limits: { wallMs: 20_000, idleMs: 20_000 },
    signal: new AbortController().signal,
    onLine: () => undefined,
    ...changes,
  };
}

const alive = (pid: number) => readRow(pid) !== undefined;
const commandOf = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};

function pidsIn(line: string): number[] {
  const reading = readJson(line);
  return reading.ok && isRecord(reading.value) && Array.isArray(reading.value['pids'])
    ? reading.value['pids'].map(Number)
    : [];
}

describe('runProcess', () => {
  test('L-300 L-305 gives the prompt on stdin, closes it, hands over lines and exit, and records the end', async () => {
    const lines: string[] = [];
    const exit = await runProcess(
      request('agent-echoes.mjs', { input: 'one\ntwo', onLine: (line) => void lines.push(line) }),
    );
    expect(lines).toEqual(['one', 'two']);
    expect(exit).toMatchObject({ code: 0, ended: undefined, survivors: 0 });
    expect(readFileSync(path.join(lane, 'stream.jsonl'), 'utf8')).toBe('one\ntwo');
    expect(readProcessRecord(lane)?.ended).toBe(true);
  });

  test('a prompt of a megabyte goes through stdin', async () => {
    let length = 0;
    const input = 'word '.repeat(200_000);
    await runProcess(
      request('agent-echoes.mjs', {
        input,
        onLine: (line) => {
          length += line.length;
          return undefined;
        },
      }),
    );
    expect(length).toBe(input.length);
  });

  test('the child sees exactly the environment it was given, and the lane marker', async () => {
    let seen: unknown;
    process.env['SECRET_OF_THE_CALLER'] = 'x';
    await runProcess(
      request('agent-echoes.mjs', {
        input: '@environment',
        environment: { PATH: systemPath, ONE: '1' },
        onLine: (line) => {
          const reading = readJson(line);
          seen = reading.ok && isRecord(reading.value) ? reading.value['environment'] : undefined;
          return undefined;
        },
      }),
    );
    delete process.env['SECRET_OF_THE_CALLER'];
    expect(Object.keys(seen as object).sort()).toEqual(['CHARRETTE_LANE', 'ONE', 'PATH']);
  });

  test('a silent agent that ignores SIGTERM is ended by the idle limit', async () => {
    // A shell ignores signals within milliseconds, on a busy machine within the limit; Node needs longer.
    const exit = await runProcess({
      ...request('agent-hangs.mjs'),
      argv: ['/bin/sh', '-c', "trap '' TERM; while :; do sleep 1; done"],
      limits: { wallMs: 60_000, idleMs: 3000, termGraceMs: 300 },
    });
    expect(exit).toMatchObject({ ended: 'idle', signal: 'SIGKILL', survivors: 0 });
  });

  test('L-300 the wall clock ends an agent that keeps talking, and that end is recorded too', async () => {
    const chatter = 'setInterval(() => console.log("."), 20)';
    const exit = await runProcess({
      ...request('agent-echoes.mjs'),
      argv: [process.execPath, '-e', chatter],
      limits: { wallMs: 500, idleMs: 60_000 },
    });
    expect(exit).toMatchObject({ ended: 'wall', signal: 'SIGTERM' });
    expect(readProcessRecord(lane)?.ended).toBe(true);
  });

  test.each(['lines', 'one line'])(
    'a flood of a gigabyte (%s) is cut off and memory stays bounded',
    async (form) => {
      const before = process.memoryUsage.rss();
      const exit = await runProcess(
        request('agent-floods.mjs', {
          args: [form],
          limits: { wallMs: 60_000, idleMs: 60_000, outputBytes: 8_000_000, lineBytes: 1_000_000 },
        }),
      );
      expect(exit.ended).toBe('output');
      expect(statSync(path.join(lane, 'stream.jsonl')).size).toBe(8_000_000);
      expect(exit.outputBytes).toBeLessThan(400_000_000);
      expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000);
    },
  );

  test('cancelling ends it; cancelled beforehand it does not linger', async () => {
    const controller = new AbortController();
    const running = runProcess(request('agent-echoes.mjs', { input: undefined, signal: controller.signal }));
    controller.abort();
    expect(await running).toMatchObject({ ended: 'cancelled', survivors: 0 });
    expect(await runProcess(request('agent-hangs.mjs', { signal: controller.signal }))).toMatchObject({
      ended: 'cancelled',
    });
  });

  test('L-313 L-315 F-39: ends children in separate groups, even with an empty environment, before it reports a cancel', async () => {
    const controller = new AbortController();
    let pids: number[] = [];
    const running = runProcess(
      request('agent-forks-children.mjs', {
        signal: controller.signal,
        onLine: (line) => {
          pids = pidsIn(line);
          controller.abort();
          return undefined;
        },
      }),
    );
    expect(await running).toMatchObject({ ended: 'cancelled', survivors: 0 });
    expect(pids).toHaveLength(4);
    expect(pids.filter(alive)).toEqual([]);
  });

  test('F-39 children do not survive an agent that leaves them behind', async () => {
    let pids: number[] = [];
    const exit = await runProcess(
      request('agent-forks-children.mjs', {
        args: ['leaves'],
        onLine: (line) => {
          pids = pidsIn(line);
          return undefined;
        },
      }),
    );
    expect(exit).toMatchObject({ code: 0, survivors: 0 });
    expect(pids.filter(alive)).toEqual([]);
  });

  test('an answer that is complete does not wait for a program that stays', async () => {
    const stays = 'console.log("done"); setInterval(() => {}, 1000)';
    const exit = await runProcess({
      ...request('agent-echoes.mjs'),
      argv: [process.execPath, '-e', stays],
      limits: { wallMs: 60_000, idleMs: 60_000, lingerMs: 100 },
      onLine: () => 'finished',
    });
    expect(exit).toMatchObject({ ended: undefined, signal: 'SIGTERM' });
  });

  test('distinguishes a missing program from one that dies', async () => {
    const missing = await runProcess({ ...request('agent-echoes.mjs'), argv: ['no-such-program-here'] });
    expect(missing.startError).toContain('ENOENT');
    expect(await runProcess(request('agent-dies.mjs'))).toMatchObject({
      signal: 'SIGKILL',
      ended: undefined,
    });
  });

  test('L-312 the end of a quick agent is noticed when it happens, not at the next look', async () => {
    const limits = { wallMs: 600_000, idleMs: 600_000, termGraceMs: 600_000, lingerMs: 600_000 };
    const run = runProcess(request('agent-empty.mjs', { limits })).then(() => 'ended');
    expect(await Promise.race([run, sleep(20_000, 'still waiting', { ref: false })])).toBe('ended');
  });

  test('L-302 what an earlier process left in the lane is not mixed with the new', async () => {
    await runProcess(request('agent-echoes.mjs', { input: 'a long first answer' }));
    await runProcess(request('agent-echoes.mjs', { input: 'second' }));
    expect(readFileSync(path.join(lane, 'stream.jsonl'), 'utf8')).toBe('second');
  });

  test('a full disk is an error of ours, not an answer of the agent; the process is ended', async () => {
    symlinkSync('/dev/full', path.join(lane, 'stream.jsonl'));
    const running = startProcess(request('agent-floods.mjs', { args: ['lines'] }));
    await expect(running.exited).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(alive(running.pid ?? 0)).toBe(false);
  });

  test('a process that cannot be recorded does not run on', async () => {
    const argument = `unrecorded-${path.basename(lane)}`;
    const nowhere = path.join(lane, 'missing');
    const start = () =>
      startProcess({ ...request('agent-hangs.mjs', { args: [argument] }), laneDirectory: nowhere });
    expect(start).toThrow('ENOENT');
    while (listProcesses().some(({ pid }) => commandOf(pid).includes(argument))) await sleep(20);
  });

  test('a reader that fails ends the process and the call', async () => {
    const failing = request('agent-floods.mjs', {
      args: ['lines'],
      onLine: () => {
        throw new Error('the reader failed');
      },
    });
    await expect(runProcess(failing)).rejects.toThrow('the reader failed');
  });

  test('garbled bytes reach the reader as text and break nothing', async () => {
    const lines: string[] = [];
    const exit = await runProcess(request('agent-garbles.mjs', { onLine: (line) => void lines.push(line) }));
    expect(exit.code).toBe(0);
    expect(lines).toHaveLength(2);
  });

  test('output of a process that ended before its record could be opened is not lost', async () => {
    const lines: string[] = [];
    // The threads that open files are busy for longer than the process lives.
    const busy = Array.from({ length: 8 }, () =>
      promisify(pbkdf2)('password', 'salt', 400_000, 64, 'sha512'),
    );
    const running = startProcess({
      ...request('agent-echoes.mjs', { onLine: (line) => void lines.push(line) }),
      argv: ['/bin/echo', 'quick'],
    });
    await running.exited;
    await Promise.all(busy);
    expect(lines).toEqual(['quick']);
  });

  test('a conversation: stdin stays open until it is closed', async () => {
    const lines: string[] = [];
    const running = startProcess({
      ...request('agent-echoes.mjs', { input: undefined, onLine: (line) => void lines.push(line) }),
      argv: ['/bin/cat'],
    });
    running.write('a\n');
    running.write('b\n');
    running.closeInput();
    expect(await running.exited).toMatchObject({ code: 0 });
    expect(lines).toEqual(['a', 'b']);
  });
});

describe('endOrphans', () => {
  test('F-39 ends what a killed command left running, and only that', async () => {
    const child = path.join(import.meta.dirname, 'fixtures/start-and-die.ts');
    const parent = startProcess({
      ...request('agent-echoes.mjs'),
      argv: [process.execPath, child, path.join(agents, 'agent-forks-children.mjs'), lane],
      laneDirectory: mkdtempSync(path.join(lane, 'parent-')),
      environment: { PATH: systemPath },
    });
    while (!alive(readProcessRecord(lane)?.pid ?? 0)) await sleep(20);
    const record = readProcessRecord(lane);
    await sleep(300);
    process.kill(parent.pid ?? 0, 'SIGKILL');
    expect(alive(record?.pid ?? 0)).toBe(true);
    expect(await endOrphans([lane, '/no/such/lane'])).toEqual([lane]);
    expect(alive(record?.pid ?? 0)).toBe(false);
    expect(await endOrphans([lane])).toEqual([]);
    await parent.exited;
  });
});
