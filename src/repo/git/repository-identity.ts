import { realpathSync } from 'node:fs';
import { runGit } from './run-git.ts';

/**
 * A name that every clone of a repository has in common: where it comes from, without scheme, login and ending; else its
 * first commit; else its folder, which no other clone has.
 */
export async function repositoryIdentity(directory: string): Promise<string> {
  const origin = await runGit(directory, ['config', '--get', 'remote.origin.url']);
  const named = origin.code === 0 ? normalOrigin(origin.stdout.trim()) : undefined;
  if (named !== undefined) return named;
  const shallow = await runGit(directory, ['rev-parse', '--is-shallow-repository']);
  if (shallow.code === 0 && shallow.stdout.trim() === 'false') {
    const roots = await runGit(directory, ['rev-list', '--max-parents=0', 'HEAD']);
    const [first] = roots.code === 0 ? roots.stdout.trim().split('\n').sort() : [];
    if (first !== undefined && first !== '') return `commit:${first}`;
  }
  return `folder:${realpathSync(directory)}`;
}

/** `host/path` of an address on a server; nothing for a folder, which means something else on every machine. */
export function normalOrigin(url: string): string | undefined {
  const address = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/+(.+)$/i.exec(url);
  const short = /^(?:[^@/:\s]+@)?([^/:\s]{2,}):(?!\/\/)\/*(.+)$/.exec(url);
  const [, host, path] = (/^file:/i.test(url) ? undefined : (address ?? short)) ?? [];
  if (host === undefined || path === undefined) return undefined;
  const name = path
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/i, '');
  return name === '' ? undefined : `${host.toLowerCase()}/${name}`;
}
