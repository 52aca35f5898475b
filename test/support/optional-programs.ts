import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findBubblewrap } from '../../src/agents/jail.ts';
import { findChromium } from '../../src/workflows/refine/browser/measure-page.ts';

const foldersOf = (search: string) =>
  search.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
const folders = foldersOf(process.env['PATH'] ?? '');

/**
 * Where children of tests look for programs: Node, git and sh, but no agent of the user. A PATH without the folders of the
 * system, such as that of `npm run test:bare`, is used whole.
 */
export const systemPath = searchPathFor(process.env['PATH'] ?? '');

export function searchPathFor(search: string): string {
  const system = ['/usr/bin', '/bin'];
  const given = foldersOf(search);
  return [
    path.dirname(process.execPath),
    ...(given.some((folder) => system.includes(folder)) ? system : given),
  ].join(path.delimiter);
}

type Program = {
  find(): string | undefined;
  /** Arguments and answer of a program that works. */
  args: readonly string[];
  answer: RegExp;
};

const versionOnPath = (name: string, answer: RegExp, args = ['--version']): Program => ({
  find: () => folders.map((folder) => path.join(folder, name)).find(isProgram),
  args,
  answer,
});

/** Everything that a test uses besides Node, npm, git, sh and the ordinary tools. */
const programs = {
  bash: versionOnPath('bash', /^GNU bash/),
  bubblewrap: {
    find: () =>
      findBubblewrap({
        environment: process.env,
        home: '/',
        platform: process.platform,
        architecture: process.arch,
        jail: 'auto',
      }),
    args: ['--version'],
    answer: /^bubblewrap /,
  },
  // One that knows its version may still lack a sandbox for this user.
  chromium: {
    find: () => findChromium(process.env),
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--headless', '--disable-gpu', `--user-data-dir=${path.join(tmpdir(), `chromium-${process.pid}`)}`],
      ...['--dump-dom', 'about:blank'],
    ],
    answer: /<html>/,
  },
  fish: versionOnPath('fish', /^fish, version/),
  postgres: { find: findPostgresServer, args: ['--version'], answer: /PostgreSQL/ },
  'pre-commit': versionOnPath('pre-commit', /^pre-commit /),
  setpriv: versionOnPath('setpriv', /^setpriv /),
  tmux: versionOnPath('tmux', /^tmux /, ['-V']),
  zsh: versionOnPath('zsh', /^zsh /),
} satisfies Record<string, Program>;

export type ProgramName = keyof typeof programs;

/** A browser that starts for the first time on a busy machine takes seconds. */
const limitMs = 30_000;
const tried = new Map<ProgramName, string | undefined>();

/** The path of an optional program that works; else prints one line with the reason, for the tests that are skipped. */
export function optionalProgram(name: ProgramName): string | undefined {
  if (!tried.has(name)) tried.set(name, tryProgram(name));
  return tried.get(name);
}

function tryProgram(name: ProgramName): string | undefined {
  const { find, args, answer } = programs[name];
  const file = find();
  if (file === undefined) {
    printSkipped(`no working ${name} was found on the PATH`);
    return undefined;
  }
  const fault = faultOf(file, args, answer);
  if (fault === undefined) return file;
  printSkipped(`${[file, ...args].join(' ')} ${fault}`);
  return undefined;
}

/** Why a program is of no use; nothing when it gives the expected answer in time. */
export function faultOf(
  file: string,
  args: readonly string[],
  answer: RegExp,
  timeout = limitMs,
): string | undefined {
  // SIGTERM can be ignored.
  const trial = spawnSync(file, args, { encoding: 'utf8', timeout, killSignal: 'SIGKILL' });
  if (trial.signal !== null) return `was stopped by ${trial.signal}, ${timeout / 1000} s at the latest`;
  if (trial.error !== undefined) return `failed: ${trial.error.message}`;
  if (trial.status !== 0) return `exited with ${trial.status}`;
  return answer.test(trial.stdout) ? undefined : 'printed something unexpected';
}

/** For `skipIf`: prints why tests are skipped when the condition holds. */
export function skipsBecause(condition: boolean, reason: string): boolean {
  if (condition) printSkipped(reason);
  return condition;
}

function printSkipped(reason: string): void {
  process.stderr.write(`skipped: ${reason}\n`);
}

/** Debian keeps the server's programs out of the PATH; a PATH without the system's folders hides these, too. */
function findPostgresServer(): string | undefined {
  const packaged = '/usr/lib/postgresql';
  const versions =
    folders.includes('/usr/bin') && existsSync(packaged)
      ? readdirSync(packaged).sort((left, right) => Number(right) - Number(left))
      : [];
  return [...versions.map((version) => path.join(packaged, version, 'bin')), ...folders]
    .filter((folder) => isProgram(path.join(folder, 'initdb')))
    .map((folder) => path.join(folder, 'postgres'))
    .find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
