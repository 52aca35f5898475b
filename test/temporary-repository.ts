import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** An environment in which git finds no configuration but its own. */
export const bareEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: os.tmpdir(),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

/** Lets git in this process find no configuration of the user either. */
export function useBareGit(): void {
  process.env['HOME'] = bareEnvironment['HOME'];
  delete process.env['XDG_CONFIG_HOME'];
}

export type TemporaryRepository = {
  root: string;
  git: (...args: string[]) => string;
  write: (file: string, text: string) => void;
  commit: (message: string) => string;
  remove: () => void;
};

/** A real repository in a temporary folder; made empty, or opened where a clone already is. */
export function temporaryRepository(at?: string): TemporaryRepository {
  const root = at ?? temporaryFolder();
  if (at === undefined) cpSync(emptyRepository(), root, { recursive: true });
  else appendFileSync(path.join(root, '.git', 'config'), person);
  const git = (...args: string[]) => runIn(root, args);
  return {
    root,
    git,
    write: (file, text) => {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), text);
    },
    commit: (message) => {
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '--message', message);
      return git('rev-parse', 'HEAD');
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

const person = '[user]\n\tname = Ann Example\n\temail = ann@example.com\n[commit]\n\tgpgsign = false\n';
let template: string | undefined;

/** `git init` once per test file; further repositories are copies of it. */
function emptyRepository(): string {
  if (template !== undefined) return template;
  const root = temporaryFolder();
  process.on('exit', () => rmSync(root, { recursive: true, force: true }));
  runIn(root, ['init', '--quiet', '--initial-branch=main', '--template=']);
  appendFileSync(path.join(root, '.git', 'config'), person);
  template = root;
  return root;
}

function temporaryFolder(): string {
  return realpathSync(mkdtempSync(path.join(os.tmpdir(), 'charrette-git-')));
}

function runIn(root: string, args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd: root,
    env: bareEnvironment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}
