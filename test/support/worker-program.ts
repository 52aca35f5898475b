import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { type LiveProgram, startCharrette } from './live-program.ts';

/** A worker that runs, and what it has said so far. */
export type LiveWorker = LiveProgram & { id(): string };

/** Starts `charrette worker` in a clone and waits until it serves the queue. */
export async function startWorker(
  project: string,
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<LiveWorker> {
  const live = startCharrette(['worker', ...args], { cwd: project, env });
  await live.says(/worker \S+ serves /);
  return { ...live, id: () => /worker (\S+) serves /.exec(live.stderr())?.[1] ?? '' };
}

export function recordOf(project: string, run: string): { status: string; exit?: number } {
  return JSON.parse(readFileSync(path.join(project, '.charrette', 'runs', run, 'run.json'), 'utf8'));
}

/** Another machine: a separate clone with the configuration of the first and a separate HOME. */
export function cloneOf(project: string, name: string): string {
  const clone = path.join(path.dirname(project), name);
  execFileSync('git', ['clone', '--quiet', project, clone], { stdio: 'pipe' });
  mkdirSync(path.join(clone, '.charrette'), { recursive: true });
  for (const file of ['.gitignore', 'config.json'])
    writeFileSync(
      path.join(clone, '.charrette', file),
      readFileSync(path.join(project, '.charrette', file), 'utf8'),
    );
  return clone;
}

export function configure(project: string, change: object): void {
  const file = path.join(project, '.charrette', 'config.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...change }));
}

/** Calls that ended with an answer, in the form in which the scripted agent logs them. */
export function finishedCalls(project: string, run: string): string[] {
  const file = path.join(project, '.charrette', 'runs', run, 'ledger.jsonl');
  return existsSync(file) ? callsOf(readFileSync(file, 'utf8')) : [];
}

/** Calls whose answers the store has: what counts when the machine that got them is gone. */
export async function keptCalls(client: pg.Client, run: string): Promise<string[]> {
  const { rows } = await client.query(
    "SELECT path, position, bytes FROM charrette.files WHERE run = $1 AND (path = 'ledger.jsonl' OR path LIKE 'lanes/%/result.json') ORDER BY path, position",
    [run],
  );
  const complete = new Set(rows.map(({ path: name }) => String(name).split('/')[1]));
  const ledger = rows.filter(({ path: name }) => name === 'ledger.jsonl').map(({ bytes }) => String(bytes));
  return callsOf(ledger.join(''), (lane) => complete.has(lane));
}

function callsOf(ledger: string, wanted: (lane: string) => boolean = () => true): string[] {
  const lines = ledger.split('\n').filter((line) => line.endsWith('}'));
  const entries = lines.map((line): { id: string; task: string; seat: string } => JSON.parse(line));
  return entries.filter(({ id }) => wanted(id)).map(({ task, seat }) => `${task} ${seat} 1`);
}

export const timesIn = (list: readonly string[], value: string) =>
  list.filter((other) => other === value).length;

/** A connection for inspecting the store. */
export async function connected<Result>(
  url: string,
  body: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}
