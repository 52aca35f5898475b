import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createTar, parseTar } from 'nanotar';
import { expect, test } from 'vitest';
import { startCharrette } from '../support/live-program.ts';
import { callsIn, charrette, holdTask, makeProject, runsOf } from '../support/program.ts';

const quick = ['design', '--auto', '--quick', '--dialectic', 'off', '--no-branch', '--yes'];

test('a stopped run is exported, imported in another clone and finished there without repeating a finished call', async () => {
  const { project, calls } = await makeProject({ delayMs: 200 });
  const release = holdTask(calls, 'plan');
  const live = startCharrette([...quick, 'limits'], { cwd: project });
  await live.says(/2a\.5: dialectic/);
  const refused = await charrette(['runs', 'export', 'latest', '--json'], { cwd: project });
  expect(JSON.parse(refused.stdout).error.message).toContain('is running');
  live.kill('SIGTERM');
  await live.ended;
  release();
  const [run = ''] = runsOf(project);
  const before = callsIn(calls);
  const finished = before.filter((call) => call.startsWith('sketch'));
  expect(finished).toHaveLength(2);
  const file = path.join(path.dirname(project), 'run.tar.gz');
  const exported = await charrette(['runs', 'export', run, file, '--json'], { cwd: project });
  expect(exported.code, exported.stderr).toBe(0);
  expect(JSON.parse(exported.stdout)).toMatchObject({ run, status: 'stopped', file });
  const again = await charrette(['runs', 'export', run, file, '--json'], { cwd: project });
  expect(JSON.parse(again.stdout).error.code).toBe('would-overwrite');
  const twice = await charrette(['runs', 'import', file, '--json'], { cwd: project });
  expect(JSON.parse(twice.stdout).error.code).toBe('would-overwrite');

  const clone = path.join(path.dirname(project), 'clone');
  execFileSync('git', ['clone', '--quiet', project, clone], { stdio: 'pipe' });
  cpSync(path.join(project, '.charrette', 'config.json'), path.join(clone, '.charrette', 'config.json'));
  const imported = await charrette(['runs', 'import', file, '--json'], { cwd: clone });
  expect(imported.code, imported.stderr + imported.stdout).toBe(0);
  expect(JSON.parse(imported.stdout)).toEqual({ run, status: 'stopped', next: `charrette resume ${run}` });
  const record = readFileSync(path.join(clone, '.charrette', 'runs', run, 'run.json'), 'utf8');
  expect(record).not.toContain(project);
  // What the store here knows of a copy that went further and was removed is of no use to this one.
  const further = startCharrette(['resume', run], { cwd: clone });
  await further.says(/2b: full plan — /);
  further.kill('SIGTERM');
  await further.ended;
  expect((await charrette(['runs', 'rm', run], { cwd: clone })).code).toBe(0);
  expect((await charrette(['runs', 'import', file], { cwd: clone })).code).toBe(0);
  const resumed = await charrette(['resume', run, '--json'], { cwd: clone });
  expect(JSON.parse(resumed.stdout)).toMatchObject({ run, status: 'done' });
  expect(callsIn(calls).filter((call) => call.startsWith('sketch'))).toEqual(finished);
});

test('exports unread answers with their run', async () => {
  const { project } = await makeProject();
  const asking = quick.filter((word) => word !== '--yes');
  expect((await charrette([...asking, 'limits'], { cwd: project })).code).toBe(7);
  const [run = ''] = runsOf(project);
  await charrette(['answer', run, 'consent=yes', '--no-resume'], { cwd: project });
  const file = path.join(path.dirname(project), 'run.tar.gz');
  expect((await charrette(['runs', 'export', run, file], { cwd: project })).code).toBe(0);
  const clone = path.join(path.dirname(project), 'clone');
  execFileSync('git', ['clone', '--quiet', project, clone], { stdio: 'pipe' });
  cpSync(path.join(project, '.charrette', 'config.json'), path.join(clone, '.charrette', 'config.json'));
  writeFileSync(path.join(clone, 'notes.txt'), 'of the local user');
  expect((await charrette(['runs', 'import', file], { cwd: clone })).code).toBe(0);
  const resumed = await charrette(['resume', run], { cwd: clone });
  // L-423: nor is anybody asked about what was uncommitted here before.
  expect(resumed.code, resumed.stderr).toBe(0);
});

test('an archive brings no commands, and a hostile one writes nothing', async () => {
  const { project } = await makeProject({ delayMs: 60_000 });
  const live = startCharrette([...quick, 'limits'], { cwd: project });
  await live.says('Sketches');
  live.kill('SIGTERM');
  await live.ended;
  const [run = ''] = runsOf(project);
  const file = path.join(path.dirname(project), 'run.tar.gz');
  await charrette(['runs', 'export', run, file], { cwd: project });
  const clone = path.join(path.dirname(project), 'clone');
  execFileSync('git', ['clone', '--quiet', project, clone], { stdio: 'pipe' });
  cpSync(path.join(project, '.charrette', 'config.json'), path.join(clone, '.charrette', 'config.json'));
  const importing = ['runs', 'import', file, '--json'];

  writeFileSync(
    file,
    retold(file, 'run.json', (record) => record.replaceAll('panel-agent.mjs', 'evil.mjs')),
  );
  expect((await charrette(importing, { cwd: clone })).code).toBe(0);
  const taken = readFileSync(path.join(clone, '.charrette', 'runs', run, 'run.json'), 'utf8');
  expect(taken).not.toContain('evil.mjs');
  await charrette(['runs', 'rm', run], { cwd: clone });

  const whole = readFileSync(file);
  for (const [changed, code] of [
    [
      retold(file, 'run.json', (record) => record.replace('"branch":', '"out":"/tmp/elsewhere","branch":')),
      'archive-invalid',
    ],
    [retold(file, 'run.json', (record) => record.replaceAll(run, 'other-run')), 'archive-invalid'],
    [retold(file, 'run.json', (record) => record.replace('"one"', '"unknown"')), 'agent-not-found'],
    [
      retold(file, 'run.json', (record) => record.replace(/"parallel": \d+/, '"parallel": 0')),
      'archive-invalid',
    ],
    [retold(file, 'run.json', (record) => record.replace('"title":', '"untitled":')), 'archive-invalid'],
    [gzipSync(Buffer.from('no archive')), 'archive-invalid'],
    [whole.subarray(0, whole.length - 20), 'archive-invalid'],
  ] as [Buffer, string][]) {
    writeFileSync(file, changed);
    const { stdout } = await charrette(importing, { cwd: clone });
    expect(JSON.parse(stdout).error?.code).toBe(code);
  }
  expect(runsOf(clone)).toEqual([]);
  expect(existsSync(path.join(clone, '.charrette', `importing-${run}`))).toBe(false);
});

/** The archive with one file changed and everything else in keeping with that. */
function retold(file: string, name: string, change: (text: string) => string): Buffer {
  const entries = parseTar(new Uint8Array(gunzipSync(readFileSync(file))));
  const texts = entries.map((entry) => entry.text);
  const manifest = JSON.parse(texts[0] ?? '');
  const at = manifest.files.findIndex((entry: { path: string }) => entry.path === name);
  texts[at + 1] = change(texts[at + 1] ?? '');
  const digest = createHash('sha256')
    .update(texts[at + 1] ?? '')
    .digest('hex');
  manifest.files[at].digest = digest;
  texts[0] = JSON.stringify(manifest);
  return gzipSync(createTar(entries.map((entry, index) => ({ name: entry.name, data: texts[index] ?? '' }))));
}
