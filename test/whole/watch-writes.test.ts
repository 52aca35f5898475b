import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(path.join(tmpdir(), 'charrette-writes-'));
afterAll(() => rmSync(folder, { recursive: true }));
const watcher = path.resolve(import.meta.dirname, '..', 'crash', 'watch-writes.mjs');

/** The reported writes of these statements, in a separate process and folder. */
async function toldOf(statements: string): Promise<string[]> {
  const place = mkdtempSync(path.join(folder, 'case-'));
  const program = `
    import { watchWrites } from ${JSON.stringify(watcher)};
    const told = [];
    watchWrites((kind, target) => told.push(kind + ' ' + target.replace(process.cwd() + '/', '')));
    const fs = await import('node:fs');
    const { appendFile, chmod, copyFile, cp, link, mkdir, mkdtemp, open, rename, rm, rmdir, symlink, truncate, unlink, writeFile } =
      await import('node:fs/promises');
    const { execFile, spawn } = await import('node:child_process');
    const { promisify } = await import('node:util');
    const { once } = await import('node:events');
    ${statements}
    console.log(JSON.stringify(told));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: place,
  });
  return JSON.parse(stdout);
}

test('reports each write through a handle, and that opening creates or empties a file', async () => {
  const told = await toldOf(`
    const handle = await open('a', 'w');
    await handle.write('one');
    await handle.writev([Buffer.from('two')]);
    await handle.writeFile('three');
    await handle.appendFile('four');
    await handle.truncate(1);
    await handle.close();
    await (await open('a', 'r')).close();
    await (await open('a', 'a')).close();
    await (await open('a', 'w')).close();
    await (await open('a', 'w')).close();
  `);
  const parts = ['write', 'writev', 'writeFile', 'appendFile', 'truncate'];
  expect(told).toEqual(['open a', ...parts.map((part) => `handle.${part} a`), 'open a']);
});

test('reports every other change of files and folders, and nothing else', async () => {
  const told = await toldOf(`
    await mkdir('f');
    await mkdir('f', { recursive: true });
    fs.mkdirSync('f', { recursive: true });
    await writeFile('f/a', 'x');
    await appendFile('f/a', 'x');
    fs.appendFileSync('f/a', 'x');
    await truncate('f/a', 1);
    await chmod('f/a', 0o600);
    await copyFile('f/a', 'f/b');
    await cp('f/a', 'f/c');
    await link('f/a', 'f/d');
    await symlink('a', 'f/e');
    await rename('f/b', 'f/g');
    await unlink('f/g');
    await rm('f/g', { force: true });
    await rmdir((await mkdtemp('h')));
    await rm('f', { recursive: true });
    const descriptor = fs.openSync('i', 'a');
    fs.writeSync(descriptor, 'x');
    fs.writeFileSync(descriptor, Buffer.from('x'));
    fs.ftruncateSync(descriptor);
    const stream = fs.createWriteStream('j');
    stream.end('x');
    await once(stream, 'close');
  `);
  // The parts of a `cp` are reported too.
  const calls = told.filter((line) => line === 'cp f/c' || !line.endsWith(' f/c'));
  expect(calls.map((line) => line.replace(/h\w{6}$/, 'h'))).toEqual([
    'mkdir f',
    'writeFile f/a',
    'appendFile f/a',
    'appendFileSync f/a',
    'truncate f/a',
    'chmod f/a',
    'copyFile f/b',
    'cp f/c',
    'link f/d',
    'symlink f/e',
    'rename f/g',
    'unlink f/g',
    'mkdtemp h',
    'rmdir h',
    'rm f',
    'openSync i',
    'writeSync i',
    'writeFileSync i',
    'ftruncateSync i',
    'open j',
    'write j',
  ]);
});

test('reports program starts, those of git only when they may change something', async () => {
  const told = await toldOf(`
    const git = (...words) => promisify(execFile)('git', words);
    await git('init', '--quiet');
    await git('-c', 'core.quotePath=false', 'status');
    await git('--no-pager', '-C', '.', 'rev-parse', '--git-dir');
    await git('-c', 'user.name=Ann', '-c', 'user.email=a@example.com', 'commit', '--allow-empty', '--message', 'Begin');
    await once(spawn('sh', ['-c', 'true']), 'exit');
  `);
  expect(told).toEqual(['start git init', 'start git commit', 'start sh -c']);
});
