// The life of a `charrette worker` process: runs are queued for it round after round, its agents are programs.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { perform } from '../../test/crash/in-process.ts';
import { startCharrette, until } from '../../test/support/live-program.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { makeProject } from '../../test/support/program.ts';
import { type ProcessLook, steadyNode } from './process-look.ts';

export type WorkerSample = ProcessLook & {
  seconds: number;
  runs: number;
  kept: number;
  ends: Record<string, number>;
  /** Rows of journals that should have been removed. */
  rows: number;
};

const runsOfRound = 6;
const kept = 20;
/** Ended runs are released at once; this is time for it. */
const goneMs = 4000;
const roundLimitMs = 20 * 60_000;
/** Journals stay for ten minutes and are swept once a minute. */
const overdueSeconds = 780;
const design = ['design', '--auto', '--quick', '--yes', '--no-branch', '--json', '--queue'];

export async function workerLife(
  { minutes, rounds, parallel }: { minutes: number; rounds: number; parallel: string },
  hear: (sample: WorkerSample) => void,
): Promise<number> {
  const server = await startPostgres({ durable: false });
  const { project } = await makeProject();
  const look = path.join(project, '.charrette', 'look.json');
  const env = { CHARRETTE_DATABASE_URL: server.url, CHARRETTE_BENCH_LOOK: look };
  const report = path.join(import.meta.dirname, 'worker-report.ts');
  const worker = startCharrette(['worker', '--limit', parallel], {
    cwd: project,
    env,
    node: [...steadyNode, '--import', report],
  });
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => {});
  process.env['CHARRETTE_DATABASE_URL'] = server.url;
  try {
    await worker.says(/worker \S+ serves /);
    await client.connect();
    const begun = performance.now();
    const over = () => performance.now() - begun > minutes * 60_000;
    let runs = 0;
    for (let round = 0; round < rounds || !over(); round += 1) {
      const ids: string[] = [];
      for (let index = 0; index < runsOfRound; index += 1) ids.push(await queue(project));
      await until(() => ids.every((id) => worker.stderr().includes(`${id} ended`)), roundLimitMs);
      runs += ids.length;
      await command(project, ['runs', 'prune', '--keep', String(kept), '--json']);
      await sleep(goneMs);
      hear({
        seconds: (performance.now() - begun) / 1000,
        runs,
        kept,
        ends: { ended: runs },
        rows: await overdueRows(client),
        ...(await lookOf(look, () => worker.kill('SIGUSR2'))),
      });
    }
    worker.kill('SIGTERM');
    return (await worker.ended).code ?? 1;
  } finally {
    delete process.env['CHARRETTE_DATABASE_URL'];
    worker.kill('SIGKILL');
    await worker.ended;
    await client.end();
    await server.stop();
    rmSync(path.dirname(project), { recursive: true, force: true, maxRetries: 5 });
  }
}

async function lookOf(file: string, ask: () => void): Promise<ProcessLook> {
  rmSync(file, { force: true });
  ask();
  await until(() => existsSync(file));
  return JSON.parse(readFileSync(file, 'utf8')) as ProcessLook;
}

async function queue(project: string): Promise<string> {
  const { run } = JSON.parse(await command(project, [...design, 'add rate limiting'])) as { run: string };
  return run;
}

async function command(project: string, words: readonly string[]): Promise<string> {
  const { exit, stdout, stderr } = await perform(words, { project, home: project, calls: '', answers: '' });
  if (exit !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
  return stdout;
}

/** Journals that are older than they may be, and rows of journals that are gone. */
async function overdueRows(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    `SELECT ((SELECT count(*) FROM dbos.workflow_status
              WHERE to_timestamp(updated_at / 1000.0) < clock_timestamp() - make_interval(secs => $1))
           + (SELECT count(*) FROM dbos.operation_outputs AS one
              WHERE NOT EXISTS (SELECT 1 FROM dbos.workflow_status AS two WHERE two.workflow_uuid = one.workflow_uuid))
            )::text AS count`,
    [overdueSeconds],
  );
  return Number(rows[0]?.count);
}
