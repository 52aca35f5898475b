import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemPath } from './optional-programs.ts';

const root = path.resolve(import.meta.dirname, '..', '..');
export const program = path.join(root, 'bin', 'charrette');
export const panelAgent = path.join(root, 'test', 'agents', 'panel-agent.mjs');
export const preload = path.join(root, 'test', 'crash', 'preload.mjs');
/** Flags with which Node.js says that it is too old for the program. */
export const olderNode = ['--import', path.join(root, 'test', 'support', 'older-node.mjs')];

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

export type RunOptions = {
  cwd: string;
  env?: Record<string, string>;
  crashAt?: number;
  countFile?: string;
  input?: string;
};

/** Runs the built program with a clean environment: only PATH comes from the caller. */
export function charrette(args: readonly string[], options: RunOptions): Promise<Ended> {
  const { cwd, env = {}, crashAt, countFile, input } = options;
  const counting = crashAt !== undefined || countFile !== undefined;
  const home = path.join(cwd, '.home');
  mkdirSync(home, { recursive: true });
  const child = spawn(process.execPath, [...(counting ? ['--import', preload] : []), program, ...args], {
    cwd,
    env: {
      PATH: systemPath,
      HOME: home,
      ...(crashAt === undefined ? {} : { CRASH_AT: String(crashAt) }),
      ...(countFile === undefined ? {} : { CRASH_COUNT_FILE: countFile }),
      ...env,
    },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  return new Promise((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
  );
}

export const fixed = { CHARRETTE_FIXED_TIME: '1763200000000', CHARRETTE_FIXED_ID: '00000001' };

/** A small git repository in a temporary folder, with agents that answer from a script. */
export async function makeProject(
  options: {
    delayMs?: number;
    failTask?: string;
    mode?:
      | 'asks'
      | 'asks-much'
      | 'content'
      | 'moody'
      | 'documents'
      | 'rounds'
      | 'refuses'
      | 'narrow'
      | 'outside'
      | 'stubborn'
      | 'agrees';
  } = {},
): Promise<{
  project: string;
  calls: string;
}> {
  const { makeExampleRepository } = await import('../../scripts/example-repository.mjs');
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-project-'));
  const project = path.join(folder, 'shop');
  makeExampleRepository(project);
  const calls = path.join(folder, 'calls.txt');
  writeFileSync(calls, '');
  const { delayMs = 0, failTask = 'none', mode = 'plain' } = options;
  const command = ['node', panelAgent, calls, String(delayMs), failTask, mode];
  const config = {
    detect: false,
    agents: {
      one: { protocol: 'exec', command, family: 'one' },
      two: { protocol: 'exec', command, family: 'two' },
    },
  };
  mkdirSync(path.join(project, '.charrette'), { recursive: true });
  writeFileSync(path.join(project, '.charrette', '.gitignore'), '*\n');
  writeFileSync(path.join(project, '.charrette', 'config.json'), JSON.stringify(config));
  return { project, calls };
}

/** From now on the project's agents answer at once. */
export function hurry(calls: string): void {
  writeFileSync(`${calls}.hurry`, '');
}

/**
 * Keeps every call of a task (of a seat, for `refine-agent.mjs`) waiting until the returned function is called: what happens
 * meanwhile hangs on no clock.
 */
export function holdTask(calls: string, task: string): () => void {
  writeFileSync(`${calls}.hold`, task);
  return () => rmSync(`${calls}.hold`, { force: true });
}

export function runsOf(project: string): string[] {
  const folder = path.join(project, '.charrette', 'runs');
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

export function artifactsOf(project: string, run: string): Record<string, string> {
  const folder = path.join(project, '.charrette', 'runs', run, 'artifacts');
  return Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  );
}

export function callsIn(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}
