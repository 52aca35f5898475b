import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { clearAway } from '../clear-away.ts';
import { freePort } from './free-port.ts';
import { optionalProgram, skipsBecause } from './optional-programs.ts';

export type Postgres = {
  url: string;
  port: number;
  /** Ends the server as a kill -9 does: nothing is written, no connection is closed in order. */
  kill(): Promise<void>;
  /** Starts a killed server again on the same port and the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

let found: { folder: string | undefined } | undefined;

/** The folder of the server's programs, if they work for whom they have to be started as. */
export function findPostgres(): string | undefined {
  found ??= { folder: tryPostgres() };
  return found.folder;
}

function tryPostgres(): string | undefined {
  const server = optionalProgram('postgres');
  if (server === undefined) return undefined;
  if (process.getuid?.() === 0) {
    const user = otherUser();
    if (skipsBecause(user === undefined, 'PostgreSQL refuses root; no user postgres or nobody'))
      return undefined;
    const reach = spawnSync('test', ['-x', tmpdir()], user);
    if (skipsBecause(reach.status !== 0, `the user of PostgreSQL cannot reach ${tmpdir()}`)) return undefined;
  }
  return path.dirname(server);
}

/**
 * A PostgreSQL server of our own on loopback, in a temporary folder that goes with it. It refuses to run as root, so root
 * starts it as another user. `durable: false` leaves out fsync; measurements keep it.
 */
export async function startPostgres({ durable = true } = {}): Promise<Postgres> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error('PostgreSQL is not installed');
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-postgres-'));
  const user = process.getuid?.() === 0 ? otherUser() : undefined;
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const options = { cwd: folder, env: { PATH: programs, LC_ALL: 'C' }, ...user };
  const data = path.join(folder, 'data');
  execFileSync(
    path.join(programs, 'initdb'),
    ['-D', data, '-U', 'charrette', '--auth=trust', '--encoding=UTF8', '--no-sync'],
    { ...options, stdio: 'pipe' },
  );
  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `fsync=${durable ? 'on' : 'off'}`,
  ];
  const url = `postgresql://charrette@127.0.0.1:${port}/postgres`;
  const start = () => {
    const server = spawn(
      path.join(programs, 'postgres'),
      ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
      { ...options, stdio: 'ignore' },
    );
    const ended = new Promise<void>((resolve) => server.on('exit', () => resolve()));
    return { server, ended };
  };
  let { server, ended } = start();
  const isGone = () => server.exitCode !== null || server.signalCode !== null;
  const end = async (signal: NodeJS.Signals) => {
    server.kill(signal);
    await ended;
  };
  const stop = async () => {
    // At once, without putting anything in order: the data go with it.
    await end('SIGQUIT');
    clearAway(folder);
  };
  const restart = async () => {
    // The memory of a killed server is in use until the last of its processes has noticed; until then it refuses.
    for (let tries = 0; ; tries += 1) {
      ({ server, ended } = start());
      try {
        return await waitUntilReady(url, isGone);
      } catch (error) {
        // Never a second one next to a living one.
        if (tries >= 50 || !isGone()) throw error;
        await sleep(100);
      }
    }
  };
  try {
    await waitUntilReady(url, isGone);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, port, kill: () => end('SIGKILL'), restart, stop };
}

function otherUser(): { uid: number; gid: number } | undefined {
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: 'pipe' }).toString());
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // The next one may exist.
    }
  }
  return undefined;
}

/** A killed server brings its data in order first: minutes on a busy machine. */
const mostLooks = 3000;

async function waitUntilReady(url: string, isGone: () => boolean): Promise<void> {
  for (let looks = 0; looks < mostLooks && !isGone(); looks += 1) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await sleep(100);
    }
  }
  throw new Error('PostgreSQL did not start');
}
