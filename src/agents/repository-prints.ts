import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { askGit } from './ask-git.ts';
import { fingerprints } from './fingerprint.ts';

/** What is a checkout's own: where it stands, and where its settings come from. */
const ofCheckout = ['HEAD', 'config.worktree', 'commondir', 'info/sparse-checkout'];
/** What all checkouts share. The rest of a repository changes with every commit, branch and worktree of anybody. */
const ofRepository = ['config', 'info/attributes', 'info/exclude', 'info/grafts'];
const mostHooks = 1000;

/** Fingerprints what decides how git works in a directory and which code it runs there. */
export async function repositoryPrints(directory: string): Promise<[string, string][]> {
  const said = await askGit(directory, ['rev-parse', '--git-dir', '--git-common-dir']);
  const [own, common] = (said ?? '').split('\n').filter((line) => line !== '');
  if (own === undefined || common === undefined) return fingerprints(directory, ['.git']);
  const [checkout, repository] = [path.resolve(directory, own), path.resolve(directory, common)];
  const hooks = await filesIn(path.join(repository, 'hooks'));
  const prints = [
    ...(await fingerprints(checkout, ofCheckout)),
    ...(await fingerprints(repository, [...ofRepository, ...hooks.map((name) => `hooks/${name}`)])),
  ];
  const named = prints.map(([name, print]): [string, string] => [`.git/${name}`, print]);
  return [...(await fingerprints(directory, ['.git'])), ...named];
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.sort().slice(0, mostHooks);
}
