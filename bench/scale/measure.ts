// What a queued panel run costs in addition to its agents: one worker, one server, scripted agents.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../../test/support/postgres.ts';
import { charrette, makeProject } from '../../test/support/program.ts';
import { startWorker } from '../../test/support/worker-program.ts';
import type { RunCost } from './simulate.ts';

export type Measured = Omit<RunCost, 'claims'> & {
  runs: number;
  calls: number;
  steps: number;
  transactions: number;
  storeBytes: number;
  walBytes: number;
  /** Of a worker that waits, for one second. */
  idleWorkerMs: number;
  idleServerMs: number;
};

const idleSeconds = 3;
const design = ['design', '--auto', '--yes', '--no-branch', '--json', '--queue'];

export async function measureRuns(runs: number): Promise<Measured> {
  const server = await startPostgres();
  const { project } = await makeProject();
  const env = { CHARRETTE_DATABASE_URL: server.url };
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const worker = await startWorker(project, env, ['--limit', '1']);
  const queue = async (title: string) => {
    const { stdout, stderr } = await charrette([...design, title], { cwd: project, env });
    const { run } = JSON.parse(stdout) as { run?: string };
    if (run === undefined) throw new Error(`nothing was queued: ${stdout}${stderr}`);
    return run;
  };
  try {
    // The first run pays for what is loaded once.
    await worker.says(`${await queue('first')} ended`);
    const look = async () => {
      const { rows } = await client.query(
        `SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS transactions,
                pg_database_size(current_database()) AS bytes,
                pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal, pg_backend_pid() AS pid`,
      );
      const [row] = rows;
      return {
        workerMs: ownTime(worker.child.pid ?? 0),
        serverMs: serverTime(Number(row.pid)),
        transactions: Number(row.transactions),
        bytes: Number(row.bytes),
        wal: Number(row.wal),
      };
    };
    const rest = await look();
    await sleep(idleSeconds * 1000);
    const before = await look();
    const idleWorkerMs = (before.workerMs - rest.workerMs) / idleSeconds;
    const idleServerMs = (before.serverMs - rest.serverMs) / idleSeconds;
    const ids: string[] = [];
    for (let number = 0; number < runs; number += 1) ids.push(await queue(`feature ${number}`));
    for (const id of ids) await worker.says(`${id} ended`);
    // Counters of the server are a second late.
    await sleep(1500);
    const after = await look();
    const phases = phasesOf(project, ids[0] ?? '');
    const calls = ids.reduce((sum, id) => sum + ledgerOf(project, id).length, 0);
    const { rows } = await client.query(
      'SELECT count(*) AS steps FROM dbos.operation_outputs WHERE split_part(workflow_uuid, $2, 1) = ANY($1)',
      [ids, '.'],
    );
    return {
      runs,
      phases,
      calls: calls / runs,
      steps: Number(rows[0].steps) / runs,
      workerMsPerCall: (after.workerMs - before.workerMs) / calls,
      serverMsPerCall: (after.serverMs - before.serverMs) / calls,
      transactions: (after.transactions - before.transactions) / runs,
      storeBytes: (after.bytes - before.bytes) / runs,
      walBytes: (after.wal - before.wal) / runs,
      idleWorkerMs,
      idleServerMs,
    };
  } finally {
    worker.kill('SIGTERM');
    await worker.ended;
    await client.end();
    await server.stop();
  }
}

function ledgerOf(project: string, run: string): { phase: string; task: string }[] {
  const file = path.join(project, '.charrette', 'runs', run, 'ledger.jsonl');
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as { phase: string; task: string });
}

/** Calls for one task of a phase run side by side, tasks one after another. */
function phasesOf(project: string, run: string): number[] {
  const sizes = new Map<string, number>();
  for (const { phase, task } of ledgerOf(project, run)) {
    const name = `${phase} ${task}`;
    sizes.set(name, (sizes.get(name) ?? 0) + 1);
  }
  return [...sizes.values()];
}

/** Ticks of a hundredth second are what the kernel counts in. */
const tickMs = 10;

function times(pid: number): { parent: number; own: number; children: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const at = (index: number) => fields[index] ?? 0;
  return { parent: at(1), own: (at(11) + at(12)) * tickMs, children: (at(13) + at(14)) * tickMs };
}

/** Processor time of a process without that of the agents it started. */
function ownTime(pid: number): number {
  return times(pid).own;
}

/** Processor time of the server with all its processes, those that have ended too. */
function serverTime(backend: number): number {
  const { parent } = times(backend);
  const main = times(parent);
  let sum = main.own + main.children;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const { parent: of, own } = times(Number(name));
      if (of === parent) sum += own;
    } catch {
      // It has ended meanwhile.
    }
  }
  return sum;
}
