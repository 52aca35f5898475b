import { shellWord } from '../../base/text/strings.ts';
import { runGit } from './run-git.ts';

/** What a repository holds by name: branches and tags with their objects, entries of the stash by their own. */
export type References = ReadonlyMap<string, string>;

const watched = ['refs/heads', 'refs/tags', 'refs/stash'];
const stash = 'refs/stash';
/** Runs advance these branches all the time. */
const ofRuns = 'refs/heads/charrette/';

/** `undefined` when git fails. */
export async function referencesOf(root: string): Promise<References | undefined> {
  const words = ['for-each-ref', '--format=%(refname) %(objectname)', ...watched];
  const listed = await runGit(root, words);
  if (listed.code !== 0) return undefined;
  const named = linesOf(listed.stdout).map((line) => line.split(' ') as [string, string]);
  const others = named.filter(([name]) => name !== stash);
  if (others.length === named.length) return new Map(named);
  // The reference is only the newest entry; the others are in its log alone.
  const entries = await runGit(root, ['rev-list', '--walk-reflogs', stash]);
  if (entries.code !== 0) return undefined;
  return new Map([
    ...others,
    ...linesOf(entries.stdout).map((id): [string, string] => [`${stash} ${id}`, id]),
  ]);
}

/** One thing that is not where it was: what to say of it, and the command that puts it back. */
export type Displaced = { name: string; was: string; is: string; text: string; command: string };

/** What was moved, deleted or stashed between two checks. New branches and tags do not count. */
export function displaced(before: References, after: References): Displaced[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name) => {
    const [was = '', is = ''] = [before.get(name), after.get(name)];
    if (was === is) return [];
    const said = name.startsWith(`${stash} `) ? ofStash(was, is) : ofName(name, was, is);
    return said === undefined ? [] : [{ name, was, is, ...said }];
  });
}

type Said = Pick<Displaced, 'text' | 'command'>;

function ofStash(was: string, is: string): Said {
  return is === ''
    ? { text: `git stash has lost its entry ${was}`, command: `git stash store ${was}` }
    : { text: `git stash has a new entry ${is}`, command: `git stash apply ${is}` };
}

function ofName(name: string, was: string, is: string): Said | undefined {
  if (was === '') return undefined;
  const back = `git update-ref ${shellWord(name)} ${was}`;
  if (is === '') return { text: `${name} is gone; it was at ${was}`, command: back };
  if (name.startsWith(ofRuns)) return undefined;
  return { text: `${name} was moved from ${was} to ${is}`, command: `${back} ${is}` };
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
