import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { acquireSlot, releaseSlots } from '../../src/engine/queue/call-slots.ts';
import { claimRuns, handBack, heldRuns, type QueueLimits, setState } from '../../src/engine/queue/claim.ts';
import { readMessages, sendMessage } from '../../src/engine/queue/messages.ts';
import { RunMirror } from '../../src/engine/queue/mirror.ts';
import { openQueue, type Queue } from '../../src/engine/queue/queue.ts';
import {
  enqueue,
  forgetEnded,
  type QueuedRun,
  readEntries,
  requeue,
  withdraw,
} from '../../src/engine/queue/queued-run.ts';
import type { Place } from '../../src/engine/queue/workers.ts';
import { registerWorker, removeStaleWorkers, removeWorker } from '../../src/engine/queue/workers.ts';
import { findPostgres, type Postgres, startPostgres } from '../support/postgres.ts';

const here: Place = { repository: 'shop', clone: 'here:/shop', head: 'c1', agents: ['one'] };
const billing: Place = { repository: 'billing', clone: 'here:/billing', head: 'c1', agents: ['one'] };
const waiting: Omit<QueuedRun, 'run'> = {
  workflow: 'design',
  title: 't',
  codeVersion: '2',
  repository: 'shop',
  clone: 'there:/shop',
  travels: true,
  baseCommit: 'c1',
  agents: ['one'],
  labels: [],
  priority: 0,
};
const lost = 'the answer of the server was lost';

let server: Postgres;
let queue: Queue;
let raw: postgres.Client;

describe.skipIf(findPostgres() === undefined)('the queue on a PostgreSQL server', () => {
  beforeAll(async () => {
    server = await startPostgres({ durable: false });
    queue = await openQueue(server.url);
    raw = new postgres.Client({ connectionString: server.url });
    raw.on('error', () => {});
    await raw.connect();
  });
  afterAll(async () => {
    await raw?.end();
    await queue?.close();
    await server?.stop();
  });
  beforeEach(() => raw.query('TRUNCATE charrette.workers, charrette.runs, charrette.turn_starts CASCADE'));

  test('creates a missing database; names the rights that a role lacks', async () => {
    const fresh = await openQueue(server.url.replace(/postgres$/, 'not_yet_there'));
    await fresh.close();
    await raw.query('CREATE ROLE poor LOGIN');
    const as = (database: string) => openQueue(`postgresql://poor@127.0.0.1:${server.port}/${database}`);
    const refused = (text: string, fix: string) => ({
      code: 'store-unreachable',
      message: expect.stringMatching(`^The PostgreSQL server refuses: .*${text}`),
      fix: expect.stringContaining(fix),
      retryable: undefined,
    });
    await expect(as('nowhere')).rejects.toMatchObject(refused('does not exist', 'CREATEDB'));
    await expect(as('template1')).rejects.toMatchObject(refused('permission denied', 'GRANT CREATE'));
  });

  const register = (worker: string, on = queue) =>
    registerWorker(on, { worker, host: 'h', pid: 1, labels: [], places: [], codeVersion: '2' });
  const enter = (run: string, change: Partial<QueuedRun> = {}) =>
    enqueue(queue.pool, { ...waiting, run, ...change });
  const enterMany = (count: number, change: Partial<QueuedRun> = {}) =>
    Promise.all(Array.from({ length: count }, (_, number) => enter(`many-${number}`, change)));
  const claim = async (
    worker: string,
    { limits = {}, most = 1, on = queue, holder = () => undefined }: Claiming = {},
  ) => {
    const asking = { id: worker, labels: [], places: [here, billing], codeVersion: '2' };
    return (await claimRuns(on, asking, limits, most, holder)).map(({ entry }) => entry);
  };
  /** Puts a run to work in a worker. */
  const atWork = async (worker: string, run: string) => {
    await register(worker);
    await enter(run);
    const [entry] = await claim(worker);
    if (entry?.run !== run) throw new Error(`${worker} got ${entry?.run}`);
    return entry;
  };
  const stateOf = async (run: string) => {
    const [entry] = await readEntries(queue, [run]);
    return entry && [entry.state, entry.worker];
  };

  test('a call keeps its slot when it asks again after an unconfirmed COMMIT', async () => {
    await register('w');
    const turn = { agent: 'one', call: 'c', worker: 'w' };
    const limit = { parallel: 1, rate: { calls: 5, seconds: 60 } };
    const ask = (on: Queue) => acquireSlot(on, turn, limit, AbortSignal.timeout(5_000));
    await expect(ask(unanswered(queue))).rejects.toThrow(lost);
    await ask(queue);
    const count = async (table: string) => (await raw.query(`SELECT * FROM charrette.${table}`)).rowCount;
    expect([await count('turns'), await count('turn_starts')]).toEqual([1, 1]);
    await releaseSlots(queue, ['c']);
    expect(await count('turns')).toBe(0);
  });

  test.each<[string, Partial<QueuedRun>, Claiming?]>([
    ['are about another commit', { baseCommit: 'c2' }],
    ['need an agent that is not there', { agents: ['one', 'two'] }],
    ['are of a repository at its limit', {}, { limits: { perRepository: 1 } }],
    ['a living process still has open', {}, { holder: (run) => (run === 'fits' ? undefined : 1) }],
  ])('501 runs that %s do not hold up the one behind them', async (_, change, claiming) => {
    await atWork('other', 'first');
    await register('w');
    await enterMany(501, change);
    await raw.query('UPDATE charrette.runs SET epoch = 1 WHERE state = $1', ['queued']);
    await enter('fits', { repository: 'billing', priority: -1 });
    expect((await claim('w', claiming)).map(({ run }) => run)).toEqual(['fits']);
  });

  test('a claim reads the first of those that wait, not all 3000 of them', async () => {
    const url = server.url.replace(/postgres$/, 'counted');
    /** Uses a separate database over separate connections. */
    const using = async <Result>(body: (own: Queue) => Promise<Result>): Promise<Result> => {
      const own = await openQueue(url);
      return body(own).finally(() => own.close());
    };
    await using(async (own) => {
      await register('w', own);
      await enqueue(own.pool, { ...waiting, run: 'many-0000' });
      await own.pool.query(`INSERT INTO charrette.runs
        SELECT (jsonb_populate_record(first, jsonb_build_object(
          'run', 'many-' || lpad(number::text, 4, '0'), 'queued', clock_timestamp()))).*
        FROM charrette.runs AS first, generate_series(1, 2999) AS number`);
      await own.pool.query('VACUUM ANALYZE charrette.runs');
    });
    const looking = new postgres.Client({ connectionString: url });
    looking.on('error', () => {});
    await looking.connect();
    const rowsRead = async () => {
      // A connection tells what it did when it ends.
      const others = `SELECT 1 FROM pg_stat_activity
        WHERE datname = 'counted' AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;
      await expect.poll(async () => (await looking.query(others)).rowCount).toBe(0);
      const { rows } = await looking.query(
        `SELECT (SELECT seq_tup_read FROM pg_stat_user_tables WHERE schemaname = 'charrette' AND relname = 'runs')
                + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE schemaname = 'charrette' AND relname = 'runs') AS rows`,
      );
      return Number(rows[0].rows);
    };
    const before = await rowsRead();
    expect((await using((own) => claim('w', { on: own }))).map(({ run }) => run)).toEqual(['many-0000']);
    const read = (await rowsRead()) - before;
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(200);
    await looking.end();
  });

  test('a run is taken in its own clone whatever is checked out there, and elsewhere only at its commit, also at none', async () => {
    await register('w');
    await enter('own', { clone: here.clone, travels: false, baseCommit: 'c2' });
    await enter('stays', { travels: false });
    await enter('none', { baseCommit: undefined });
    const taken = async (places: Place[]) => {
      const worker = { id: 'w', labels: [], places, codeVersion: '2' };
      return (await claimRuns(queue, worker, {}, 9, () => undefined)).map(({ entry }) => entry.run);
    };
    expect(await taken([])).toEqual([]);
    expect(await taken([here])).toEqual(['own']);
    expect(await taken([{ ...here, head: undefined }])).toEqual(['none']);
  });

  test('a claim reads by index what is open and what began lately, and nothing of that without a rate', async () => {
    await register('w');
    await enter('r');
    const asked: { text: string; values: unknown[] }[] = [];
    await claim('w', { on: listening(queue, asked), limits: { rate: { runs: 9, seconds: 60 } } });
    await removeStaleWorkers(listening(queue, asked), 60);
    const plans = async (table: RegExp) => {
      await raw.query('SET enable_seqscan = off');
      const found: string[] = [];
      for (const { text, values } of asked.filter((query) => table.test(query.text)))
        found.push(
          (await raw.query(`EXPLAIN ${text}`, values)).rows.map((row) => row['QUERY PLAN']).join('\n'),
        );
      return found;
    };
    const [begun] = await plans(/taken >/);
    expect(begun).toMatch(/Index Cond: \(taken >/);
    for (const plan of await plans(/FROM charrette\.runs/)) expect(plan).not.toContain('Seq Scan on runs');
    const [next] = await plans(/state = 'queued' AND/);
    expect(next).toContain('Index Scan using runs_queued');
    expect(next).not.toContain('Sort');
    asked.length = 0;
    await claim('w', { on: listening(queue, asked) });
    expect(asked.filter(({ text }) => text.includes('taken >'))).toEqual([]);
  });

  test('saves files again after an unconfirmed COMMIT, with what was added since', async () => {
    const entry = await atWork('w', 'r');
    const root = mkdtempSync(path.join(tmpdir(), 'charrette-mirror-'));
    const events = path.join(root, 'events.jsonl');
    writeFileSync(events, '1\n');
    let current = queue;
    const through: Queue = { ...queue, transaction: (body) => current.transaction(body) };
    const mirror = new RunMirror(through, entry, root, true);
    await mirror.keep();
    appendFileSync(events, '2\n');
    current = unanswered(queue);
    await expect(mirror.keep()).rejects.toThrow(lost);
    appendFileSync(events, '3\n');
    await mirror.keep();
    const { rows } = await raw.query('SELECT position, bytes FROM charrette.files ORDER BY position');
    expect(rows.map(({ bytes }) => String(bytes))).toEqual(['1\n', '2\n3\n']);
  });

  test('a leaving worker releases runs it did not know it had', async () => {
    await register('w');
    await enter('r');
    await expect(claim('w', { on: unanswered(queue) })).rejects.toThrow(lost);
    expect(await heldRuns(queue, 'w')).toEqual([{ run: 'r', epoch: 1 }]);
    await removeWorker(queue, 'w');
    expect(await stateOf('r')).toEqual(['queued', undefined]);
    expect(await heldRuns(queue, 'w')).toEqual([]);
  });

  test('requeues runs of unknown workers, and of those whose heartbeat timed out', async () => {
    await atWork('unknown', 'a');
    await atWork('silent', 'b');
    await atWork('lives', 'c');
    await raw.query("DELETE FROM charrette.workers WHERE worker = 'unknown'");
    await raw.query("UPDATE charrette.workers SET beat = beat - interval '1 hour' WHERE worker = 'silent'");
    expect(
      (await removeStaleWorkers(queue, 60)).sort((one, two) => (one.worker < two.worker ? -1 : 1)),
    ).toEqual([
      { worker: 'silent', runs: ['b'] },
      { worker: 'unknown', runs: ['a'] },
    ]);
    expect([await stateOf('a'), await stateOf('b'), await stateOf('c')]).toEqual([
      ['queued', undefined],
      ['queued', undefined],
      ['running', 'lives'],
    ]);
    expect(await removeStaleWorkers(queue, 60)).toEqual([]);
  });

  test('a late worker removes other stale workers, never itself, and repeats none of its calls', async () => {
    await atWork('busy', 'a');
    await atWork('silent', 'b');
    await raw.query("UPDATE charrette.workers SET beat = beat - interval '1 hour'");
    expect(await removeStaleWorkers(queue, 60, 'busy')).toEqual([{ worker: 'silent', runs: ['b'] }]);
    expect(await stateOf('a')).toEqual(['running', 'busy']);
    expect(await removeStaleWorkers(queue, 60)).toEqual([{ worker: 'busy', runs: ['a'] }]);
  });

  test('a run of an unknown worker is requeued or withdrawn without waiting for another worker', async () => {
    const entry = await atWork('unknown', 'a');
    expect([await requeue(queue, 'a'), await withdraw(queue, 'a', 'cancelled')]).toEqual([false, false]);
    await raw.query('DELETE FROM charrette.workers');
    expect(await withdraw(queue, 'a', 'cancelled')).toBe(true);
    expect(await stateOf('a')).toEqual(['ended', undefined]);
    expect(await setState(queue, entry, 'running')).toBe(false);
    await atWork('unknown', 'b');
    await raw.query('DELETE FROM charrette.workers');
    expect(await requeue(queue, 'b')).toBe(true);
    expect(await stateOf('b')).toEqual(['queued', undefined]);
  });

  test('a cancel that came too late for a run does not end it when it is queued again', async () => {
    await enter('r');
    expect(await withdraw(queue, 'r', 'cancelled')).toBe(true);
    await sendMessage(queue, 'r', { type: 'cancel', reason: 'late' });
    await sendMessage(queue, 'r', {
      type: 'answer',
      answers: [{ question: 'q', value: 'v', source: 'person' }],
    });
    expect(await requeue(queue, 'r')).toBe(true);
    expect((await readMessages(queue, ['r'])).map(({ message }) => message?.type)).toEqual(['answer']);
  });

  test.each([
    ['withdrawn', () => withdraw(queue, 'r', 'cancelled')],
    ['queued again', () => requeue(queue, 'r')],
  ])('a run that a worker takes at the same moment is not %s', async (_, act) => {
    await register('w');
    await enter('r');
    await raw.query('BEGIN');
    await raw.query("UPDATE charrette.runs SET state = 'running', worker = 'w'");
    const acted = act();
    // Awaited below.
    acted.catch(() => {});
    const blocked = async () => (await queue.pool.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rowCount;
    await expect.poll(blocked).toBe(1);
    await raw.query('COMMIT');
    expect(await acted).toBe(false);
    expect(await stateOf('r')).toEqual(['running', 'w']);
  });

  test('a run that has ended is neither requeued nor started again', async () => {
    const entry = await atWork('w', 'r');
    expect(await setState(queue, entry, 'ended', 'done')).toBe(true);
    await handBack(queue, entry, 'its worker was stopped');
    expect(await setState(queue, entry, 'waiting')).toBe(false);
    expect(await readEntries(queue, ['r'])).toMatchObject([{ state: 'ended', note: 'done' }]);
    // Said once more because the answer to the first time was lost.
    expect(await setState(queue, entry, 'ended', 'done')).toBe(true);
  });

  test('keeps the result of old runs; they resume only where their files are', async () => {
    const entry = await atWork('w', 'r');
    await raw.query("UPDATE charrette.runs SET at_clone = 'here:/shop'");
    await raw.query(`INSERT INTO charrette.files VALUES ('r', 'run.json', 0, 'x', 'd', 1)`);
    await raw.query(`INSERT INTO charrette.messages (run, body) VALUES ('r', '{}')`);
    await setState(queue, entry, 'ended', 'done');
    expect(await forgetEnded(queue, 1)).toBe(0);
    expect(await forgetEnded(queue, 0)).toBe(1);
    expect(await forgetEnded(queue, 0)).toBe(0);
    for (const table of ['files', 'messages'])
      expect((await raw.query(`SELECT * FROM charrette.${table}`)).rowCount).toBe(0);
    const kept = { state: 'ended', note: 'done', forgotten: true, travels: false, clone: 'here:/shop' };
    expect(await readEntries(queue, ['r'])).toMatchObject([kept]);
    expect(await requeue(queue, 'r')).toBe(true);
    const [again] = await readEntries(queue, ['r']);
    expect(again).toMatchObject({ state: 'queued', travels: false, clone: 'here:/shop' });
    expect(again?.bound).toContain('left the store');
    expect(again?.forgotten).toBeUndefined();
  });

  test('upgrades tables of an older version and keeps their rows', async () => {
    await enter('r');
    await raw.query(`ALTER TABLE charrette.runs DROP COLUMN forgotten`);
    const both = await Promise.all([openQueue(server.url), openQueue(server.url)]);
    for (const opened of both) {
      expect(await readEntries(opened, ['r'])).toMatchObject([{ run: 'r', state: 'queued' }]);
      await opened.close();
    }
    const { rowCount } = await raw.query("SELECT 1 FROM pg_indexes WHERE indexname = 'runs_ended'");
    expect(rowCount).toBe(1);
  });

  test('a dead connection that still locks a run blocks neither other runs nor the removal of its worker', async () => {
    const entry = await atWork('silent', 'locked');
    await enter('waits', { priority: 1 });
    await enter('free');
    await register('w');
    await raw.query("UPDATE charrette.workers SET beat = beat - interval '1 hour' WHERE worker = 'silent'");
    await raw.query('BEGIN');
    await raw.query("SELECT 1 FROM charrette.runs WHERE run IN ('locked', 'waits') FOR SHARE");
    try {
      expect(await removeStaleWorkers(queue, 60)).toEqual([{ worker: 'silent', runs: [] }]);
      expect((await claim('w', { most: 5 })).map(({ run }) => run)).toEqual(['free']);
    } finally {
      await raw.query('ROLLBACK');
    }
    expect(await removeStaleWorkers(queue, 60)).toEqual([{ worker: 'silent', runs: ['locked'] }]);
    expect(await setState(queue, entry, 'running')).toBe(false);
  });

  test('no one waits forever for a lock, and the server notices dead connections', async () => {
    await register('w');
    await raw.query('SELECT pg_advisory_lock(7302)');
    try {
      await expect(claim('w')).rejects.toThrow('lock timeout');
    } finally {
      await raw.query('SELECT pg_advisory_unlock(7302)');
    }
    expect(await claim('w')).toEqual([]);
    const { rows } = await queue.pool.query('SHOW tcp_keepalives_idle');
    expect(rows).toEqual([{ tcp_keepalives_idle: '10' }]);
  });
});

type Claiming = {
  limits?: QueueLimits;
  most?: number;
  on?: Queue;
  holder?: (run: string) => number | undefined;
};

/** A queue client that once misses the confirmation of a commit. */
function unanswered(queue: Queue): Queue {
  let heard = false;
  return {
    ...queue,
    async transaction(body) {
      const result = await queue.transaction(body);
      if (heard) return result;
      heard = true;
      throw new Error(lost);
    },
  };
}

/** The queue, with a list of the statements in its transactions. */
function listening(queue: Queue, asked: { text: string; values: unknown[] }[]): Queue {
  return {
    ...queue,
    transaction: (body) =>
      queue.transaction((client) =>
        body(
          new Proxy(client, {
            get: (target, name) =>
              name === 'query'
                ? (text: string, values: unknown[] = []) => {
                    asked.push({ text, values });
                    return target.query(text, values);
                  }
                : Reflect.get(target, name),
          }),
        ),
      ),
  };
}
