import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { makeExampleRepository } from '../../scripts/example-repository.mjs';

const root = path.resolve(import.meta.dirname, '..', '..');
const node = path.dirname(process.execPath);
const oldNode = '/usr/bin/node';

let folder: string;
let installed: string;

/** Runs a program outside the repository with a PATH of our choice and nothing else of the caller's. */
function run(program: string, args: readonly string[], options: { cwd: string; path?: string }) {
  const { cwd, path: search = `${node}:/usr/bin:/bin` } = options;
  return spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { PATH: search, HOME: path.join(folder, 'home'), npm_config_update_notifier: 'false' },
  });
}

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'charrette-package-'));
  mkdirSync(path.join(folder, 'home'));
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
  });
  const [{ filename }] = JSON.parse(packed);
  const prefix = path.join(folder, 'prefix');
  const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline', '--cache', npmCache()];
  execFileSync('npm', ['install', '-g', '--prefix', prefix, ...flags, path.join(folder, filename)], {
    cwd: folder,
    stdio: 'pipe',
    env: { ...process.env, PATH: `${node}:${process.env['PATH']}` },
  });
  installed = path.join(prefix, 'bin', 'charrette');
});

/** What was downloaded for this checkout need not be downloaded again. */
function npmCache(): string {
  return execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
}

test('the installed program prints its version and help', () => {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  expect(run(installed, ['--version'], { cwd: folder })).toMatchObject({ status: 0, stdout: `${version}\n` });
  expect(run(installed, ['--help'], { cwd: folder }).stdout).toContain('Usage: charrette <command>');
});

test('the installed program designs, draws and keeps its record', () => {
  const shop = path.join(folder, 'shop');
  makeExampleRepository(shop);
  const flags = ['--agents', 'static', '--auto', '--yes', '--no-branch', '--json'];
  const designed = run(installed, ['design', ...flags, 'let customers cancel an order'], { cwd: shop });
  expect(designed.stderr).not.toContain('internal');
  expect([0, 6]).toContain(designed.status);
  const { run: id, artifacts } = JSON.parse(designed.stdout);
  const names = artifacts.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['plan.txt', 'plan.json', 'architecture-diagram.md']));
  expect(run(installed, ['show', id, '--artifact', 'plan.txt'], { cwd: shop }).stdout).toContain('# Plan');
});

test('the public modules can be imported, with types', () => {
  const consumer = path.join(folder, 'consumer');
  mkdirSync(path.join(consumer, 'node_modules'), { recursive: true });
  const library = path.join(folder, 'prefix', 'lib', 'node_modules', 'charrette');
  execFileSync('ln', ['-s', library, path.join(consumer, 'node_modules', 'charrette')]);
  writeFileSync(path.join(consumer, 'package.json'), '{"type":"module"}');
  const source = [
    `import { CharretteError, openProject, type RunHandle, startRun } from 'charrette';`,
    `import { loadDesignContext } from 'charrette/context';`,
    `import { lintPaths } from 'charrette/skills';`,
    `import { compose } from 'charrette/prompts';`,
    `import { readPlan, type PlanReading } from 'charrette/plan';`,
    `import { openEngine, type RunRecord } from 'charrette/engine';`,
    `const reading: PlanReading = readPlan('nothing');`,
    `const status: RunRecord['status'] = 'done';`,
    `const handle: Partial<RunHandle> = {};`,
    `const all: unknown[] = [handle.stop ?? openProject, startRun, CharretteError, loadDesignContext, lintPaths, compose, openEngine];`,
    `console.log(JSON.stringify([reading.ok, status, all.every((one) => typeof one === 'function')]));`,
  ].join('\n');
  writeFileSync(path.join(consumer, 'main.ts'), source);
  const ran = run(path.join(node, 'node'), ['--no-warnings', 'main.ts'], { cwd: consumer });
  expect(ran.stdout.trim()).toBe('[false,"done",true]');
  const checked = spawnSync(
    process.execPath,
    [
      path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
      ...['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023'],
      ...['--types', 'node', '--typeRoots', path.join(root, 'node_modules', '@types'), 'main.ts'],
    ],
    { cwd: consumer, encoding: 'utf8' },
  );
  expect(checked.stdout).toBe('');
});

test.runIf(existsSync(oldNode) && !/^v2[2-9]/.test(versionOf(oldNode)))(
  'under an older Node it says what is needed, exit 2',
  () => {
    const flags = { cwd: folder, path: '/usr/bin:/bin' };
    const refused = run(installed, ['--version'], flags);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toMatch(/needs Node\.js 22\.13 or newer; this is \d+/);
    const { error } = JSON.parse(run(installed, ['runs', '--json'], flags).stdout);
    expect(error.code).toBe('node-too-old');
  },
);

function versionOf(program: string): string {
  return execFileSync(program, ['--version'], { encoding: 'utf8' });
}
