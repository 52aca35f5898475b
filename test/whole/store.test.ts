import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { clearAway } from '../clear-away.ts';
import { startCharrette, until } from '../support/live-program.ts';
import { artifactsOf, callsIn, charrette, holdTask, makeProject, runsOf } from '../support/program.ts';

const quick = ['design', '--auto', '--yes', '--quick', '--dialectic', 'off', '--no-branch'];

function count(list: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const entry of list) counts.set(entry, (counts.get(entry) ?? 0) + 1);
  return counts;
}

test('a second process leaves its run to the one that holds the store and follows it', async () => {
  const { project, calls } = await makeProject();
  const release = holdTask(calls, 'plan');
  const holder = startCharrette([...quick, 'first'], { cwd: project });
  await holder.says('Sketches');
  const following = startCharrette([...quick, '--json', 'second'], { cwd: project });
  await following.says(`the store is held by process ${holder.child.pid}`);
  release();
  const follower = await following.ended;
  expect(follower.code).toBe(0);
  const { run, status } = JSON.parse(follower.stdout);
  expect(status).toBe('done');
  expect(Object.keys(artifactsOf(project, run))).toContain('plan.txt');
  expect((await holder.ended).code).toBe(0);
});

test('refuses a run of another version, with or without a holder of the store', async () => {
  const { project, calls } = await makeProject();
  const release = holdTask(calls, 'plan');
  const old = startCharrette([...quick, 'old'], { cwd: project });
  await old.says('Sketches');
  old.kill('SIGINT');
  await old.ended;
  const [run = ''] = runsOf(project);
  const record = path.join(project, '.charrette', 'runs', run, 'run.json');
  writeFileSync(record, JSON.stringify({ ...JSON.parse(readFileSync(record, 'utf8')), codeVersion: 'old' }));
  const holder = startCharrette([...quick, 'holder'], { cwd: project });
  await holder.says('Sketches');
  const refused = await charrette(['resume', run, '--json'], { cwd: project });
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout).error.code).toBe('code-version-gone');
  expect(JSON.parse(readFileSync(record, 'utf8')).status).toBe('stopped');
  release();
  expect((await holder.ended).code).toBe(0);
});

test('when the holder is killed, the waiting process takes the store and completes its run', async () => {
  const { project, calls } = await makeProject();
  const release = holdTask(calls, 'plan');
  const holder = startCharrette([...quick, 'first'], { cwd: project });
  await holder.says('Sketches');
  const follower = startCharrette([...quick, '--json', 'second'], { cwd: project });
  await follower.says('Sketches');
  await until(() => callsIn(calls).length >= 4);
  holder.kill('SIGKILL');
  await holder.ended;
  release();
  const ended = await follower.ended;
  expect(ended.code).toBe(0);
  expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'done' });
  const [first = ''] = runsOf(project);
  const listed = JSON.parse((await charrette(['runs', '--json'], { cwd: project })).stdout);
  expect(listed.runs.find(({ run }: { run: string }) => run === first).status).toBe('interrupted');
  const resumed = await charrette(['resume', first], { cwd: project });
  expect(resumed.code).toBe(0);
});

test('a failed run resumed next to the holder of the store gets its new result', async () => {
  const { project, calls } = await makeProject({ failTask: 'plan' });
  expect((await charrette([...quick, 'first'], { cwd: project })).code).toBe(1);
  const [failed = ''] = runsOf(project);
  // The agents are fixed, including those in the run's record.
  for (const file of ['config.json', `runs/${failed}/run.json`]) {
    const name = path.join(project, '.charrette', file);
    writeFileSync(name, readFileSync(name, 'utf8').replaceAll(/"plan"(?=,\s*"plain")/g, '"none"'));
  }
  const release = holdTask(calls, 'sketch');
  const holder = startCharrette([...quick, 'holder'], { cwd: project });
  await holder.says('Sketches');
  const resumed = startCharrette(['resume', failed, '--yes', '--json'], { cwd: project });
  await resumed.says(`the store is held by process ${holder.child.pid}`);
  release();
  const { code, stdout } = await resumed.ended;
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ run: failed, status: 'done' })]);
  expect((await holder.ended).code).toBe(0);
});

test('a run whose end was reported but not saved ends next to the holder of the store, and reports its end once', async () => {
  const { project, calls } = await makeProject();
  expect((await charrette([...quick, 'first'], { cwd: project })).code).toBe(0);
  const [first = ''] = runsOf(project);
  const directory = path.join(project, '.charrette', 'runs', first);
  const record = path.join(directory, 'run.json');
  // As a kill between the two leaves it.
  const { ended: _ended, exit: _exit, ...before } = JSON.parse(readFileSync(record, 'utf8'));
  writeFileSync(record, JSON.stringify({ ...before, status: 'running' }));
  const release = holdTask(calls, 'plan');
  const holder = startCharrette([...quick, 'holder'], { cwd: project });
  await holder.says('Sketches');
  const resumed = await charrette(['resume', first, '--json'], { cwd: project });
  expect([resumed.code, JSON.parse(resumed.stdout).status]).toEqual([0, 'done']);
  const events = readFileSync(path.join(directory, 'events.jsonl'), 'utf8').trimEnd().split('\n');
  expect(events.filter((line) => JSON.parse(line).type === 'run-end')).toEqual([events.at(-1)]);
  release();
  expect((await holder.ended).code).toBe(0);
});

test('a corrupt store is reported, kept and replaced, and no finished call is repeated', async () => {
  const { project, calls } = await makeProject();
  const release = holdTask(calls, 'plan');
  const live = startCharrette([...quick, 'limits'], { cwd: project });
  await live.says(/2a\.5: dialectic/);
  live.kill('SIGINT');
  await live.ended;
  release();
  const before = count(callsIn(calls));
  const store = path.join(project, '.charrette', 'store');
  for (const name of ['PG_VERSION', 'global/pg_control', 'postgresql.conf']) {
    writeFileSync(path.join(store, name), 'garbage');
  }
  const refused = await charrette(['resume', '--json'], { cwd: project });
  expect(refused.code).toBe(1);
  const { error } = JSON.parse(refused.stdout);
  expect(error.code).toBe('store-corrupt');
  expect(existsSync(`${store}.corrupt`)).toBe(true);
  expect(error.message).toContain(`${store}.corrupt`);

  const resumed = await charrette(['resume'], { cwd: project });
  expect(resumed.code).toBe(0);
  const after = count(callsIn(calls));
  const sketches = [...before].filter(([call]) => call.startsWith('sketch'));
  expect(sketches.length).toBeGreaterThan(0);
  for (const [call, times] of sketches) expect(after.get(call)).toBe(times);
});

test('names the file of another host’s lock, and resumes once it is removed', async () => {
  const { project, calls } = await makeProject();
  const release = holdTask(calls, 'plan');
  const live = startCharrette([...quick, 'limits'], { cwd: project });
  await live.says('Sketches');
  live.kill('SIGKILL');
  await live.ended;
  release();
  const [run = ''] = runsOf(project);
  const gone = { pid: 7, started: '100', host: 'a-container-that-is-gone' };
  const record = path.join(project, '.charrette', 'runs', run, 'run.json');
  writeFileSync(record, JSON.stringify({ ...JSON.parse(readFileSync(record, 'utf8')), process: gone }));
  const lock = path.join(project, '.charrette', 'store.lock');
  writeFileSync(lock, JSON.stringify(gone));
  for (const words of [
    [...quick, 'second'],
    ['resume', run],
  ]) {
    const refused = await charrette([...words, '--json'], { cwd: project });
    expect(refused.code, refused.stderr).toBe(1);
    const { error } = JSON.parse(refused.stdout);
    expect(error.code).toBe('store-locked');
    expect(error.message).toContain('process 7 on a-container-that-is-gone');
    expect(error.fix).toContain(`remove ${lock}`);
  }
  rmSync(lock);
  const resumed = await charrette(['resume', run], { cwd: project });
  expect(resumed.code, resumed.stderr).toBe(0);
});

const mounts: string[] = [];
afterAll(() => {
  for (const mount of mounts) {
    // A process that is just ending may still use it.
    try {
      execFileSync('umount', ['--lazy', mount], { stdio: 'pipe' });
    } catch {}
    clearAway(mount);
  }
});

function smallDisk(megabytes: number): string | undefined {
  const mount = mkdtempSync(path.join(tmpdir(), 'charrette-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', mount], { stdio: 'pipe' });
  } catch {
    return undefined;
  }
  mounts.push(mount);
  return mount;
}

test('a full disk is reported, and the run completes once there is space', async ({ skip }) => {
  const disk = smallDisk(24);
  if (disk === undefined) return skip('only root can mount a small disk');
  const { project: made } = await makeProject();
  const project = path.join(disk, 'shop');
  cpSync(made, project, { recursive: true });
  const ballast = path.join(disk, 'ballast');
  const free = Number(execFileSync('df', ['--output=avail', '-B1', disk]).toString().trim().split('\n')[1]);
  writeFileSync(ballast, Buffer.alloc(Math.max(0, free - 600_000)));
  const full = await charrette([...quick, '--json', 'limits'], { cwd: project });
  expect(full.code).toBe(1);
  expect(JSON.parse(full.stdout).error.code).toBe('disk-full');
  rmSync(ballast);
  const again = runsOf(project).length > 0 ? ['resume'] : [...quick, 'limits'];
  const resumed = await charrette(again, { cwd: project });
  expect(resumed.stderr).not.toContain('internal');
  expect(resumed.code).toBe(0);
});

test('reports a read-only directory, exit 5', async ({ skip }) => {
  const disk = smallDisk(16);
  if (disk === undefined) return skip('only root can mount a read-only disk');
  const { project: made } = await makeProject();
  const project = path.join(disk, 'shop');
  cpSync(made, project, { recursive: true });
  mkdirSync(path.join(project, '.home'));
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  const ended = await charrette([...quick, '--json', 'limits'], { cwd: project });
  expect(ended.code).toBe(5);
  expect(JSON.parse(ended.stdout).error.code).toBe('permission-denied');
  const read = await charrette(['runs', '--json'], { cwd: project });
  expect(read).toMatchObject({ code: 0 });
});
