import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { containedPath, isInside, readTextFile } from '../../base/files/bounded.ts';
import { joinTruncated } from '../../base/text/strings.ts';
import type { CheckoutStart, Place } from '../../council/call/once.ts';
import { sideFiles } from '../../prompts/artifacts.ts';
import type { FeatureFiles } from '../../prompts/feature-files.ts';
import { moveCheckout, openCheckout, restoreWork } from '../../repo/git/checkout.ts';
import { currentBranch, repositoryFacts, uncommittedIn } from '../../repo/git/repository-facts.ts';
import {
  branchTip,
  changedSince,
  dropKeptWork,
  findLanded,
  forwardTo,
  markedMessage,
  openRunBranch,
  type Taken,
  takeWork,
} from '../../repo/git/run-branch.ts';
import { removeWorktree } from '../../repo/git/worktrees.ts';
import { look } from './records.ts';
import { filesInLog } from './rules/implementation-log.ts';
import type { ImplementRun } from './run.ts';

/** Where an agent starts, and the reference that keeps its work until it is merged. */
export type Start = Required<CheckoutStart>;

/** What the agents of one round get to see. */
export type Round = {
  start: Start;
  feature: FeatureFiles;
  /** T-040: the changed files with their text, by path below the project. */
  code: Record<string, string>;
};

/** `onto`: the branch you were on. */
type Begun = { base: string; branch: string; onto: string | null };

const maxBytes = 512 * 1024;
const maxFiles = 400;

/** The branch of a run and its checkouts, where the code of a feature is written. */
export class Work {
  readonly branch: string;
  readonly #run: ImplementRun;
  readonly #root: string;
  /** The project below the root of its repository. */
  readonly #prefix: string;
  readonly #begun: Begun;
  /** Files that count as changed although this run did not change them. */
  readonly #named: readonly string[];
  /** Checkouts with changes that are in no commit; they are not removed. */
  readonly #kept = new Set<string>();

  private constructor(
    run: ImplementRun,
    root: string,
    prefix: string,
    begun: Begun,
    named: readonly string[],
  ) {
    this.branch = begun.branch;
    this.#run = run;
    this.#root = root;
    this.#prefix = prefix;
    this.#begun = begun;
    this.#named = named;
  }

  /** T-009: starts at the last commit; your working tree is never touched. */
  static async begin(run: ImplementRun): Promise<Work> {
    const { project } = run.services;
    const { root, head, subfolder } = await repositoryFacts(project);
    const begun = await run.once('work start', async (): Promise<Begun> => {
      if (head === undefined) {
        throw new CharretteError({
          code: 'no-commits',
          message: 'The repository has no commit to start from.',
          fix: 'Commit something first.',
        });
      }
      const branch = `charrette/${run.context.live.directory.id}`;
      await openRunBranch(root, branch, head);
      return { base: head, branch, onto: (await currentBranch(project)) ?? null };
    });
    const unseen = await run.once('uncommitted', () => uncommittedOutside(root, run.inputs.directory));
    if (unseen.length > 0)
      run.warn(`Not committed, so not seen by the implementers: ${joinTruncated(unseen)}.`);
    return new Work(run, root, subfolder, begun, run.inputs.reviewOnly ? await namedInLog(run) : []);
  }

  /** A checkout of the work so far; `name` is its folder, `step` what happens in it. */
  async open(name: string, step: string): Promise<Start> {
    const checkout = this.#checkout(name);
    const commit = await this.#run.once(`tip ${step}`, () => this.tip());
    await this.#run.context.step(`checkout ${step}`, async () => {
      await openCheckout(this.#root, checkout, commit);
      if (name !== step) await moveCheckout(this.#root, checkout, commit);
      return true;
    });
    return { checkout, commit, kept: `${this.#keptPrefix}/${step.replace(/[^a-z0-9]+/gi, '-')}` };
  }

  /** The shared checkout, with the feature and the changed code at this point of the run. */
  async round(name: string): Promise<Round> {
    const start = await this.open('work', name);
    return { start, feature: await look(this.#run, name), code: await this.#changedCode(start, name) };
  }

  place(start: Start, access: Place['access']): Place {
    const directory = path.join(start.checkout, this.#prefix);
    return access === 'write' ? { directory, access, start } : { directory, access };
  }

  /** Commits an agent's changes to the run's branch. Work that was merged before the run stopped is found again. */
  async merge(name: string, { checkout, commit: start, kept }: Start, message: string): Promise<Taken> {
    const root = this.#root;
    const { branch, base } = this.#begun;
    const mark = `Charrette-Task: ${this.#run.context.live.directory.id}/${name.replace(/\s+/g, '-')}.`;
    const taken = await this.#run.once(`land ${name}`, async (): Promise<Taken> => {
      const earlier = await findLanded(root, branch, base, mark);
      if (earlier !== undefined) return { kind: 'landed', ...earlier, ignored: [] };
      await restoreWork(root, checkout, kept);
      return takeWork(root, checkout, { branch, start, message: markedMessage([message], [mark]) });
    });
    // Ignored files may be all that was done.
    if (taken.kind === 'nothing' && taken.ignored.length > 0) {
      this.#kept.add(checkout);
      this.#run.warn(`${name}: git ignores ${taken.ignored.slice(0, 5).join(', ')}; kept in ${checkout}.`);
    }
    return taken;
  }

  async close(name: string, { checkout }: Start): Promise<void> {
    if (this.#kept.has(checkout)) return;
    await this.#run.context.step(`close ${name}`, async () => {
      await removeWorktree(this.#root, checkout);
      return true;
    });
  }

  async tip(): Promise<string> {
    const { branch, base } = this.#begun;
    return (await branchTip(this.#root, branch)) ?? base;
  }

  /** Merges forward only, and only where your branch has not moved; otherwise it says how to merge by hand. */
  async deliver(tip: string): Promise<string> {
    const { base, branch, onto } = this.#begun;
    const { project } = this.#run.services;
    const merged = this.#run.inputs.merge
      ? await this.#run.once('merge', () => forwardTo(project, tip, { base, onto: onto ?? undefined }))
      : { merged: false, reason: 'it was not requested' };
    await this.tidy();
    if (merged.merged) return `The work is on ${onto ?? 'HEAD'}, up to ${tip.slice(0, 12)}.`;
    this.#run.warn(`Not merged: ${merged.reason}. When you are ready: git merge ${branch}`);
    return `The work is on the branch ${branch}, up to ${tip.slice(0, 12)}.`;
  }

  /** All work is committed: removes checkouts and kept work; the branch stays. */
  async tidy(): Promise<void> {
    await this.#run.context.step('tidy', async () => {
      const checkout = this.#checkout('work');
      if (!this.#kept.has(checkout)) await removeWorktree(this.#root, checkout);
      await dropKeptWork(this.#root, this.#keptPrefix);
      return true;
    });
  }

  #checkout(name: string): string {
    const { root } = this.#run.context.live.directory;
    return path.join(root, 'worktrees', name.replace(/[^a-z0-9.-]+/gi, '-'));
  }

  /** Where finished work of this run waits until it is merged. */
  get #keptPrefix(): string {
    return `refs/charrette/${this.#run.context.live.directory.id}`;
  }

  #changedCode({ checkout, commit }: Start, label: string): Promise<Record<string, string>> {
    return this.#run.once(`code ${label}`, async () => {
      const changed = await changedSince(this.#root, this.#begun.base, commit);
      const names = [...new Set([...changed, ...this.#named])].slice(0, maxFiles);
      const code: Record<string, string> = {};
      for (const name of names) {
        const text = await textAt(checkout, name);
        if (text !== undefined) code[path.relative(this.#prefix, name)] = text;
      }
      return code;
    });
  }
}

async function uncommittedOutside(root: string, feature: string): Promise<string[]> {
  return (await uncommittedIn(root)).filter((name) => {
    const file = path.join(root, name);
    return !isInside(feature, file) && !isInside(file, feature);
  });
}

/** T-072: files that the implementation log names as changed. */
async function namedInLog(run: ImplementRun): Promise<string[]> {
  const files = await run.once('files of the log', async () =>
    filesInLog((await readTextFile(path.join(run.inputs.directory, sideFiles.log))) ?? ''),
  );
  if (files.length > 0) return files;
  throw new CharretteError({
    code: 'artifact-missing',
    message: `${sideFiles.log} names no changed file, so there is nothing to review.`,
    fix: 'Leave --review-only out, or list the files as `- **Files changed:** a.ts, b.ts`.',
  });
}

/** A file that is too large or not text is named with its size. */
async function textAt(checkout: string, name: string): Promise<string | undefined> {
  try {
    const file = await containedPath(checkout, name);
    const facts = await stat(file);
    if (!facts.isFile()) return undefined;
    if (facts.size > maxBytes) return `[${facts.size} bytes]`;
    const bytes = await readFile(file);
    return bytes.includes(0) ? `[${facts.size} bytes, not text]` : bytes.toString('utf8');
  } catch {
    return undefined;
  }
}
