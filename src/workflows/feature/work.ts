import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { containedPath, isInside } from '../../base/files/contained.ts';
import { joinTruncated } from '../../base/text/format.ts';
import type { CheckoutStart, Place } from '../../council/call/once.ts';
import { moveCheckout, openCheckout, restoreWork } from '../../repo/git/checkout.ts';
import { currentBranch, repositoryFacts, uncommittedIn } from '../../repo/git/repository-facts.ts';
import {
  branchTip,
  changedSince,
  findLanded,
  markedMessage,
  openRunBranch,
  type Taken,
  takeWork,
} from '../../repo/git/run-branch.ts';
import type { FeatureDesk } from './desk.ts';

/** Where the code of a feature is written: a branch of the run, and checkouts of it. */
export type Work = {
  root: string;
  /** The project below the root of its repository. */
  prefix: string;
  base: string;
  branch: string;
  /** The branch the person was on. */
  onto: string | null;
  /** Checkouts that hold something which is in no commit; they are not removed. */
  kept: Set<string>;
};

/** T-009: begins at the last commit; the person's own working tree is never touched. */
export async function beginWork(desk: FeatureDesk): Promise<Work> {
  const { project } = desk.services;
  const branch = `charrette/${desk.context.live.directory.id}`;
  const { root, head, subfolder: prefix } = await repositoryFacts(project);
  const begun = await desk.once('work start', async (): Promise<Pick<Work, 'base' | 'branch' | 'onto'>> => {
    if (head === undefined) {
      throw new CharretteError({
        code: 'no-commits',
        message: 'The repository has no commit to start from.',
        fix: 'Commit something first.',
      });
    }
    await openRunBranch(root, branch, head);
    const onto = (await currentBranch(project)) ?? null;
    return { base: head, branch, onto };
  });
  const work: Work = { ...begun, root, prefix, kept: new Set() };
  const unseen = await desk.once('uncommitted', () => unseenBy(work.root, desk.inputs.directory));
  if (unseen.length > 0)
    desk.warn(`Not committed, so not seen by the implementers: ${joinTruncated(unseen)}.`);
  return work;
}

async function unseenBy(root: string, feature: string): Promise<string[]> {
  return (await uncommittedIn(root)).filter((name) => {
    const file = path.join(root, name);
    return !isInside(feature, file) && !isInside(file, feature);
  });
}

export function checkoutOf(desk: FeatureDesk, name: string): string {
  return path.join(desk.context.live.directory.root, 'worktrees', name.replace(/[^a-z0-9.-]+/gi, '-'));
}

/** Where finished work of this run waits until it lands. */
export function keptPrefix(desk: FeatureDesk): string {
  return `refs/charrette/${desk.context.live.directory.id}`;
}

/** A checkout of what was done so far; `name` is its folder, `step` what happens in it. One of its own may hold finished work that git did not take. */
export async function openAt(desk: FeatureDesk, work: Work, name: string, step: string): Promise<KeptStart> {
  const checkout = checkoutOf(desk, name);
  const commit = await desk.once(`tip ${step}`, async () => tipOf(work));
  await desk.context.step(`checkout ${step}`, async () => {
    await openCheckout(work.root, checkout, commit);
    if (name !== step) await moveCheckout(work.root, checkout, commit);
    return true;
  });
  return { checkout, commit, kept: `${keptPrefix(desk)}/${step.replace(/[^a-z0-9]+/gi, '-')}` };
}

/** Where an agent starts, and the reference that keeps its work until it is merged. */
export type KeptStart = Required<CheckoutStart>;

export async function tipOf({ root, branch, base }: Work): Promise<string> {
  return (await branchTip(root, branch)) ?? base;
}

export function placeIn(work: Work, start: KeptStart, access: Place['access']): Place {
  return {
    directory: path.join(start.checkout, work.prefix),
    access,
    ...(access === 'write' ? { start } : {}),
  };
}

/** Everything that an agent changed in a checkout, as one commit on the run's branch. What landed before the run was stopped is found again. */
export async function landWork(
  desk: FeatureDesk,
  work: Work,
  name: string,
  { checkout, commit: start, kept }: KeptStart,
  message: string,
): Promise<Taken> {
  const mark = `Charrette-Task: ${desk.context.live.directory.id}/${name.replace(/\s+/g, '-')}.`;
  const { root, branch, base } = work;
  const landed = await desk.once(`land ${name}`, async (): Promise<Taken> => {
    const earlier = await findLanded(root, branch, base, mark);
    if (earlier !== undefined) return { kind: 'landed', ...earlier, ignored: [] };
    await restoreWork(root, checkout, kept);
    return takeWork(root, checkout, { branch, start, message: markedMessage([message], [mark]) });
  });
  // Where nothing landed, what git ignores may be all that was done.
  if (landed.kind === 'nothing' && landed.ignored.length > 0) {
    work.kept.add(checkout);
    desk.warn(`${name}: git ignores ${landed.ignored.slice(0, 5).join(', ')}; kept in ${checkout}.`);
  }
  return landed;
}

const mostBytes = 512 * 1024;
const mostFiles = 400;

/** T-040: the changed files with their text, by their path below the project; what is no text or too large is named with its size. */
export async function changedCode(
  desk: FeatureDesk,
  work: Work,
  { checkout, commit }: KeptStart,
  named: readonly string[],
  label: string,
): Promise<Record<string, string>> {
  return desk.once(`code ${label}`, async () => {
    const changed = await changedSince(work.root, work.base, commit);
    const names = [...new Set([...changed, ...named])].slice(0, mostFiles);
    const code: Record<string, string> = {};
    for (const name of names) {
      const text = await textAt(checkout, name);
      if (text !== undefined) code[path.relative(work.prefix, name)] = text;
    }
    return code;
  });
}

async function textAt(checkout: string, name: string): Promise<string | undefined> {
  try {
    const file = await containedPath(checkout, name);
    const facts = await stat(file);
    if (!facts.isFile()) return undefined;
    if (facts.size > mostBytes) return `[${facts.size} bytes]`;
    const bytes = await readFile(file);
    return bytes.includes(0) ? `[${facts.size} bytes, not text]` : bytes.toString('utf8');
  } catch {
    return undefined;
  }
}
