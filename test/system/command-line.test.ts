import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { errorTable, exitCodes } from '../../src/base/error-table.ts';
import { skipsBecause } from '../support/optional-programs.ts';
import { charrette, makeProject, program, runsOf } from '../support/program.ts';

let empty: string;
let project: string;

beforeAll(async () => {
  empty = mkdtempSync(path.join(tmpdir(), 'charrette-empty-'));
  ({ project } = await makeProject());
});

/** The one JSON document on stdout. */
function document(stdout: string): Record<string, never> & { error?: { code: string; message: string } } {
  return JSON.parse(stdout);
}

test('the exit codes are those of the contract', () => {
  expect(exitCodes).toEqual({
    done: 0,
    failed: 1,
    usage: 2,
    timedOut: 3,
    notFound: 4,
    denied: 5,
    notAccepted: 6,
    paused: 7,
    drift: 8,
    interrupted: 130,
    terminated: 143,
  });
  for (const { exit } of Object.values(errorTable)) expect(Object.values(exitCodes)).toContain(exit);
});

/** A wrong command line: what is typed, the error code, the exit, what the message must say. */
const wrong: [words: string[], code: string, exit: number, says: RegExp][] = [
  [['desgin', 'x'], 'unknown-command', 2, /Did you mean `design`\?/],
  [['runs', 'prun'], 'usage', 2, /too many arguments/],
  [['skill', 'lnit'], 'unknown-command', 2, /Did you mean `lint`\?/],
  [['design', '--quik', 'x'], 'unknown-flag', 2, /Unknown option --quik\. Did you mean --quick\?/],
  [['--jsn'], 'unknown-flag', 2, /Unknown option --jsn\. Did you mean --json\?/],
  [['design', '--sketches', '3', 'x'], 'usage', 2, /0, 2, 4/],
  [['design', '  '], 'usage', 2, /empty/],
  [['runs', '--output', 'xml'], 'usage', 2, /"xml"/],
  [['runs', '--timeout', 'soon'], 'usage', 2, /"soon"/],
  [['runs', 'prune'], 'usage', 2, /--older-than or --keep/],
  [['cancel'], 'usage', 2, /run/],
  [['show', 'nope'], 'run-not-found', 4, /"nope"/],
  [['runs', '--cwd', '/does/not/exist'], 'not-found', 4, /does not exist/],
  [['runs', '--config', 'nope.json', 'rm', 'x'], 'run-not-found', 4, /"x"/],
  [['config', '--config', 'nope.json'], 'config-unreadable', 2, /nope\.json/],
];

describe.each(wrong)('%j', (words, code, exit, says) => {
  test.concurrent('says what is wrong on stderr and nothing on stdout', async () => {
    const ended = await charrette(words, { cwd: empty });
    expect(ended).toMatchObject({ code: exit, stdout: '' });
    expect(ended.stderr).toMatch(says);
    expect(ended.stderr).toContain(`[${code}]`);
    expect(ended.stderr).not.toContain('    at ');
  });

  test.concurrent('with --json the same is the one document on stdout', async () => {
    const ended = await charrette(['--json', ...words], { cwd: empty });
    expect(ended).toMatchObject({ code: exit, stderr: '' });
    expect(document(ended.stdout).error).toMatchObject({ code, message: expect.stringMatching(says) });
  });
});

test.each([
  [['--version'], 'version'],
  [['--help'], 'help'],
  [[], 'help'],
  [['help', 'design'], 'help'],
  [['design', '--help'], 'help'],
  [['config'], 'config'],
  [['config', '--schema'], 'properties'],
  [['runs'], 'runs'],
  [['doctor'], 'agents'],
])('%j with --json prints one document', async (words, key) => {
  const ended = await charrette([...words, '--json'], { cwd: empty });
  expect(ended.code).toBe(0);
  expect(document(ended.stdout)).toHaveProperty(key);
});

test('help starts with examples, on stdout', async () => {
  const { stdout, stderr } = await charrette(['design', '--help'], { cwd: empty });
  expect(stderr).toBe('');
  expect(stdout.indexOf('Examples:')).toBeGreaterThan(0);
  expect(stdout.indexOf('Examples:')).toBeLessThan(stdout.indexOf('Usage:'));
});

test('a broken configuration names file, line, key and what is allowed', async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-config-')), 'charrette.config.json');
  writeFileSync(file, '{\n  "agents": {\n    "one": { "protocol": "telepathy" }\n  }\n}\n');
  const ended = await charrette(['design', '--json', 'x'], { cwd: path.dirname(file) });
  expect(ended.code).toBe(2);
  const { error } = document(ended.stdout);
  expect(error?.code).toBe('config-invalid');
  expect(error?.message).toContain(`${file}:3`);
  expect(error?.message).toContain('agents.one.protocol');
  expect(error?.message).toContain('"claude"');
});

test('an unknown agent exits 4 and names the available ones', async () => {
  const ended = await charrette(['design', '--agents', 'one,three', 'x'], { cwd: project });
  expect(ended.code).toBe(4);
  expect(ended.stderr).toMatch(/"three"; there are one, two, static\. \[agent-not-found\]/);
  expect(runsOf(project)).toEqual([]);
});

test('outside a repository nothing is started, exit 5', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-bare-'));
  const ended = await charrette(['design', '--json', '--yes', 'x'], { cwd: folder });
  expect(ended.code).toBe(5);
  expect(document(ended.stdout).error?.code).toBe('not-a-repository');
  expect(existsSync(path.join(folder, '.charrette'))).toBe(false);
});

test('reports missing git with exit 4', async () => {
  const bin = mkdtempSync(path.join(tmpdir(), 'charrette-bin-'));
  symlinkSync(process.execPath, path.join(bin, 'node'));
  const ended = await charrette(['design', '--json', '--yes', 'x'], { cwd: project, env: { PATH: bin } });
  expect(ended.code).toBe(4);
  expect(document(ended.stdout).error?.code).toBe('git-missing');
});

test('an unbuilt checkout reports its error code, as text and in every form of JSON', () => {
  const checkout = mkdtempSync(path.join(tmpdir(), 'charrette-unbuilt-'));
  cpSync(path.resolve(import.meta.dirname, '../../bin'), path.join(checkout, 'bin'), { recursive: true });
  writeFileSync(path.join(checkout, 'package.json'), '{"type": "module"}');
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [path.join(checkout, 'bin/charrette'), ...words], { encoding: 'utf8' });
  const told = run('runs');
  expect([told.status, told.stdout]).toEqual([2, '']);
  expect(told.stderr).toMatch(
    /^charrette: Charrette is not built: .* \[not-built\]\n {2}fix: Run `npm run setup`/,
  );
  for (const words of [['--json'], ['--output', 'json'], ['--output=stream-json']])
    expect(document(run('runs', ...words).stdout).error?.code, words.join(' ')).toBe('not-built');
});

test('works without HOME', async () => {
  const ended = await charrette(['design', '--dry-run', '--json', 'x'], {
    cwd: project,
    env: { HOME: undefined } as never,
  });
  expect(ended.code).toBe(0);
  expect(document(ended.stdout)).toMatchObject({ dryRun: true });
});

test('NO_COLOR and a pipe switch colour off', async () => {
  const ended = await charrette(['--help'], { cwd: empty, env: { NO_COLOR: '1' } });
  expect(ended.stdout).not.toContain('\u001b');
  const piped = await charrette(['doctor'], { cwd: empty });
  expect(piped.stdout + piped.stderr).not.toContain('\u001b');
  expect(piped.stdout).toMatch(/^\s*git\s+\d+\.\d+\S*, \/\S+/m);
});

test('ignores a reader that closes the pipe', async () => {
  const child = spawn(process.execPath, [program, 'design', '--help'], { cwd: empty });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test.skipIf(skipsBecause(!existsSync('/dev/full'), 'this system has no /dev/full'))(
  'output that cannot be written is an error',
  () => {
    const line = `"${process.execPath}" "${program}" config > /dev/full`;
    expect(() => execFileSync('sh', ['-c', line], { cwd: empty, stdio: 'pipe' })).toThrow(/disk-full/);
  },
);

test('the version is that of the package', async () => {
  const { version } = JSON.parse(
    readFileSync(path.join(path.dirname(program), '..', 'package.json'), 'utf8'),
  );
  const ended = await charrette(['--version'], { cwd: empty });
  expect(ended).toMatchObject({ code: 0, stdout: `${version}\n` });
});
