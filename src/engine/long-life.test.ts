import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { embeddedEngine, madeRun } from '../../test/support/engine.ts';
import type { Engine } from './engine.ts';
import { type Home, homeOf } from './run-directory.ts';
import type { WorkflowContext, WorkflowDefinition } from './workflow.ts';

let home: Home;
let engine: Engine;
let calls: string[];
const forever = new AbortController().signal;

const call = (context: WorkflowContext, name: string) =>
  context.step('call', async (signal) => {
    calls.push(name);
    if (name === 'slow') await sleep(60_000, undefined, { signal });
    return name;
  });

const story: WorkflowDefinition<{ slow?: boolean; ask?: boolean }, { status: 'done'; exit: 0 }> = {
  name: 'life-story',
  async run(context, { slow, ask }) {
    await call(context, 'a');
    if (slow === true) await call(context, 'slow');
    if (ask === true) await context.ask([{ id: 'q1', text: 'Which?' }]);
    return { status: 'done', exit: 0 };
  },
};

beforeEach(async () => {
  home = homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-life-')));
  calls = [];
  engine = await embeddedEngine({ home, workflows: [story] });
});

afterEach(async () => {
  await engine.close();
  rmSync(home.project, { recursive: true, force: true });
});

async function start(id: string, inputs: object): Promise<void> {
  await madeRun(home, id, story.name, inputs);
  await engine.start(id);
}

/** Files of runs that this process has open. */
function openFiles(): string[] {
  const folder = '/proc/self/fd';
  return readdirSync(folder).flatMap((name) => {
    try {
      const file = readlinkSync(path.join(folder, name));
      return file.startsWith(home.runs) ? [file] : [];
    } catch {
      return [];
    }
  });
}

async function journaledAfterClose(): Promise<string[]> {
  await engine.close();
  const database = new PGlite({ dataDir: home.store });
  try {
    const ids = await database.query<{ id: string }>(
      `SELECT workflow_uuid AS id FROM dbos.workflow_status
       UNION SELECT workflow_uuid FROM dbos.operation_outputs
       UNION SELECT destination_uuid FROM dbos.notifications ORDER BY id`,
    );
    return ids.rows.map(({ id }) => id);
  } finally {
    await database.close();
  }
}

test('runs that ended hold no file, and the store keeps the journal of none of them', async () => {
  for (const id of ['r1', 'r2', 'r3']) {
    await start(id, {});
    expect(await engine.wait(id, { signal: forever })).toMatchObject({ record: { status: 'done' } });
  }
  await expect.poll(openFiles).toEqual([]);
  await start('r4', { slow: true });
  await expect.poll(() => calls.includes('slow')).toBe(true);
  const waiting = engine.wait('r4', { signal: forever });
  await engine.cancel('r4', 'enough');
  expect(await waiting).toMatchObject({ kind: 'ended', record: { status: 'cancelled' } });
  await start('r5', { ask: true });
  expect(await engine.wait('r5', { signal: forever })).toMatchObject({ kind: 'paused' });
  expect(await journaledAfterClose()).toEqual(['r5']);
  expect(openFiles()).toEqual([]);
});

test('a paused or stopped run continues in the process that left it', async () => {
  await start('r1', { ask: true });
  expect(await engine.wait('r1', { signal: forever })).toMatchObject({ kind: 'paused' });
  await engine.answer('r1', [{ question: 'q1', value: 'this', source: 'person' }]);
  await engine.start('r1');
  expect(await engine.wait('r1', { signal: forever })).toMatchObject({ record: { status: 'done' } });
  expect(calls).toEqual(['a']);

  await start('r2', { slow: true });
  await expect.poll(() => calls.includes('slow')).toBe(true);
  const stop = new AbortController();
  const waiting = engine.wait('r2', { signal: stop.signal });
  stop.abort();
  expect(await waiting).toMatchObject({ kind: 'stopped' });
  await engine.start('r2');
  await expect.poll(() => calls.filter((name) => name === 'slow').length).toBe(2);
  await engine.cancel('r2', 'enough');
  expect(calls.filter((name) => name === 'a')).toHaveLength(2);
});
