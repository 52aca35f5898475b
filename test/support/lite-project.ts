import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const agent = path.resolve(import.meta.dirname, '..', 'agents', 'builder-agent.mjs');

/** A repository with a test command and agents that edit files; `failTask` is the task they refuse. */
export function makeLiteProject(
  failTask = 'none',
  agents: readonly string[] = ['one'],
): {
  project: string;
  calls: string;
  git: (...args: string[]) => string;
} {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-lite-'));
  const project = path.join(folder, 'numbers');
  const calls = path.join(folder, 'calls.txt');
  mkdirSync(path.join(project, '.charrette'), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args], {
      cwd: project,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    }).trim();
  writeFileSync(calls, '');
  writeFileSync(path.join(project, 'package.json'), '{"name":"numbers","scripts":{"test":"node --test"}}\n');
  writeFileSync(path.join(project, '.gitignore'), '.home/\n');
  writeFileSync(path.join(project, '.charrette', '.gitignore'), '*\n');
  const command = ['node', agent, calls, failTask];
  writeFileSync(
    path.join(project, '.charrette', 'config.json'),
    JSON.stringify({
      detect: false,
      agents: Object.fromEntries(agents.map((id) => [id, { protocol: 'exec', command, family: id }])),
    }),
  );
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
  return { project, calls, git };
}
