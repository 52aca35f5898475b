import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startedRepositories } from '../../../test/started-repository.ts';
import { bareEnvironment } from '../../../test/temporary-repository.ts';
import { repositoryFacts } from './repository-facts.ts';
import { gitOutput, runGit, untilDone } from './run-git.ts';

test('a directory that is not there is named, not mistaken for a missing git', async () => {
  const gone = path.join(import.meta.dirname, 'gone');
  await expect(gitOutput(gone, ['status'])).rejects.toMatchObject({
    code: expect.not.stringMatching('git-missing'),
    message: expect.stringContaining(`the directory ${gone} does not exist`),
  });
});

test('a git that is not on PATH is named', async () => {
  await expect(
    gitOutput(import.meta.dirname, ['status'], { environment: { PATH: '/nowhere' } }),
  ).rejects.toMatchObject({ code: 'git-missing' });
});

describe('git and what it starts', () => {
  let folder: string;
  let port: number;
  let server: Server;
  const sockets = new Set<Socket>();
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'charrette-run-git-'));
    execFileSync('git', ['init', '--quiet', folder]);
    // Takes every connection and never says a word.
    server = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
    // In the place of ssh: it connects, waits, and does not leave when it is asked to.
    writeFileSync(
      path.join(folder, 'ssh.mjs'),
      `import { connect } from 'node:net';
import { writeFileSync } from 'node:fs';
process.on('SIGTERM', () => undefined);
connect(${port}, '127.0.0.1', () => writeFileSync(${JSON.stringify(path.join(folder, 'connected'))}, ''));
setInterval(() => undefined, 1_000_000);
`,
    );
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const silent = () => ({
    ...process.env,
    GIT_SSH_COMMAND: `${JSON.stringify(process.execPath)} ${JSON.stringify(path.join(folder, 'ssh.mjs'))}`,
  });
  const fetchWords = (protocol: string) => [
    '-c',
    'ssh.variant=ssh',
    'fetch',
    '--',
    `${protocol}://127.0.0.1:${port}/x.git`,
    'main',
  ];

  /** Command lines of processes that name the folder of this test. */
  function helpers(): string[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        } catch {
          return '';
        }
      })
      .filter((line) => line.includes(folder));
  }

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await sleep(20);
  }

  test.each(['ssh', 'git'])('a silent %s server ends with the limit, and nothing stays', async (protocol) => {
    const result = await runGit(folder, fetchWords(protocol), { timeoutMs: 1500, environment: silent() });
    expect(result).toMatchObject({ code: undefined, problem: 'stopped after 1.5 s' });
    await until(() => helpers().length === 0);
  });

  test('so it does on request, and no lock file stays', async () => {
    const controller = new AbortController();
    const options = { signal: controller.signal, ...untilDone, environment: silent() };
    const fetching = runGit(folder, fetchWords('ssh'), options);
    await until(() => existsSync(path.join(folder, 'connected')));
    controller.abort();
    expect(await fetching).toMatchObject({ code: undefined, problem: 'stopped on request' });
    await until(() => helpers().length === 0);
    expect(readdirSync(path.join(folder, '.git')).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });

  test('what git leaves behind with its pipes open ends with the limit too', async () => {
    const left = `alias.left=!${silent().GIT_SSH_COMMAND} &`;
    const result = await runGit(folder, ['-c', left, 'left'], { timeoutMs: 1500 });
    expect(result).toMatchObject({ code: undefined, problem: 'stopped after 1.5 s' });
    await until(() => helpers().length === 0);
  });

  test('too much output ends it', async () => {
    const endless = 'alias.endless=!yes';
    const result = await runGit(folder, ['-c', endless, 'endless'], { maximumBytes: 100_000 });
    expect(result).toMatchObject({ code: undefined, problem: 'more than 100000 bytes of output' });
  });

  test('Ctrl-C in the terminal does not reach it', async () => {
    const groupIn = (stat: string) => stat.slice(stat.lastIndexOf(')')).split(' ')[3];
    const own = groupIn(readFileSync('/proc/self/stat', 'utf8'));
    const stat = await gitOutput(folder, ['-c', 'alias.group=!cat /proc/self/stat', 'group']);
    expect(groupIn(stat)).toMatch(/^\d+$/);
    expect(groupIn(stat)).not.toBe(own);
  });

  /** A program that starts git and exits as soon as the file exists. */
  async function leave(words: readonly string[], options: string, file: string): Promise<void> {
    const program = `
      import { existsSync } from 'node:fs';
      import { runGit } from ${JSON.stringify(path.join(import.meta.dirname, 'run-git.ts'))};
      void runGit(${JSON.stringify(folder)}, ${JSON.stringify(words)}, ${options});
      setInterval(() => existsSync(${JSON.stringify(file)}) && process.exit(0), 20);`;
    execFileSync(process.execPath, ['--input-type=module-typescript', '--eval', program], { env: silent() });
  }

  test('a program that leaves takes a waiting git along', async () => {
    const waiting = path.join(folder, 'waiting');
    const alias = `alias.wait=!touch ${waiting}; exec tail -f ${waiting}`;
    await leave(['-c', alias, 'wait'], '{}', waiting);
    await until(() => helpers().length === 0);
  });

  test('but not one that changes a tree', async () => {
    const [begun, done] = [path.join(folder, 'begun'), path.join(folder, 'done')];
    const alias = `alias.change=!touch ${begun}; sleep 1; touch ${done}`;
    await leave(['-c', alias, 'change'], '{ timeoutMs: Number.POSITIVE_INFINITY }', begun);
    await until(() => existsSync(done));
  });
});

describe('git in a repository', () => {
  const git = { environment: bareEnvironment };
  const { copy, folder } = startedRepositories();
  let root: string;
  beforeEach(() => {
    root = copy().root;
  });

  test('a failing command is a result with its reason; output is bounded', async () => {
    expect(await runGit(root, ['show', 'nothing'], git)).toMatchObject({
      code: 128,
      stderr: expect.stringContaining('nothing'),
    });
    const bounded = await runGit(root, ['log'], { ...git, maximumBytes: 10 });
    expect(bounded.code).toBeUndefined();
    expect(bounded.problem).toContain('more than 10 bytes');
    expect((await runGit(path.join(root, 'no-such'), ['status'], git)).problem).toBeTruthy();
  });

  test('an error names the command, not a setting that was given with it', async () => {
    const settings = ['-c', 'core.hooksPath=/dev/null', '-c', 'submodule.recurse=false'];
    await expect(gitOutput(root, [...settings, 'add', 'gone.txt'], git)).rejects.toMatchObject({
      message: expect.stringContaining('git add failed: '),
    });
  });

  test('L-942 no variable of the caller leads git elsewhere', async () => {
    const environment = {
      ...bareEnvironment,
      GIT_DIR: '/nowhere',
      GIT_WORK_TREE: '/',
      GIT_INDEX_FILE: '/x',
      GIT_CONFIG_COUNT: '1',
    };
    expect((await runGit(root, ['rev-parse', '--show-toplevel'], { environment })).stdout.trim()).toBe(root);
  });

  test('outside a repository the error says so', async () => {
    await expect(gitOutput(folder(), ['status'], git)).rejects.toMatchObject({ code: 'not-a-repository' });
    await expect(repositoryFacts(folder())).rejects.toMatchObject({ code: 'not-a-repository' });
  });
});
