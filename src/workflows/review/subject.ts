import { createHash } from 'node:crypto';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { containedPath, readTextFile } from '../../base/files/bounded.ts';
import { looksLikePlan } from '../../plan/grounding/subject.ts';
import { detectMainBranch } from '../../repo/git/branches.ts';
import { commitOfTree, hunksOf, patchesBetween } from '../../repo/git/patch.ts';
import { commitOf, currentBranch, topLevel } from '../../repo/git/repository-facts.ts';
import { gitOutput, runGit } from '../../repo/git/run-git.ts';
import { openIndex } from '../../repo/index/repository-index.ts';
import { fileKind, type SkippedFile, skipByPath } from '../../repo/index/snapshot.ts';

/** The subject of the review; `words` are the arguments of the command. */
export type SubjectRequest = {
  words: readonly string[];
  /** Where names of files start. */
  cwd: string;
  base?: string | undefined;
  commits?: string | undefined;
  staged?: boolean | undefined;
  uncommitted?: boolean | undefined;
  mainBranch?: string | undefined;
  remote?: string | undefined;
};

/** what is reviewed, by names that do not move. */
export type Subject = {
  kind: 'branch' | 'commits' | 'staged' | 'uncommitted' | 'plan' | 'doc';
  /** For people: `branch x against main`. */
  title: string;
  base: string;
  head: string;
  /** The branch whose tip is `head`. */
  branch?: string;
  /** A plan or document with its text; the path starts at the project. */
  document?: { path: string; text: string };
};

/** Finds the subject; throws when it does not exist. */
export async function resolveSubject(project: string, request: SubjectRequest): Promise<Subject> {
  const { words, cwd, staged, uncommitted, commits } = request;
  const [first, second] = words;
  const isKind = first === 'plan' || first === 'doc' || first === 'branch';
  if (
    [staged === true, uncommitted === true, commits !== undefined, first !== undefined].filter(Boolean)
      .length > 1
  )
    throw new CharretteError({
      code: 'usage',
      message: 'More than one thing to review was named.',
      fix: 'Name one: `charrette review`, `review BRANCH`, `review A..B`, `review FILE`, --staged or --uncommitted.',
    });
  const extra = words[isKind ? 2 : 1];
  if (extra !== undefined)
    throw new CharretteError({
      code: 'usage',
      message: `\`review\` takes one subject; ${extra} is one more.`,
    });
  if (staged === true || uncommitted === true)
    return ofTree(project, staged === true ? 'staged' : 'uncommitted');
  if (commits !== undefined) {
    const range = await ofRange(project, commits);
    return range ?? missing(`two commits in --commits, as A..B; ${commits} is not`);
  }
  if (first === 'plan' || first === 'doc')
    return ofDocument(project, cwd, second ?? missing(`a file after ${first}`), first);
  if (first === 'branch') return ofBranch(project, second, request);
  if (first === undefined) return ofBranch(project, undefined, request);
  const range = await ofRange(project, first);
  if (range !== undefined) return range;
  if ((await commitOf(project, first)) !== undefined) return ofBranch(project, first, request);
  return ofDocument(project, cwd, first);
}

async function ofBranch(
  project: string,
  name: string | undefined,
  request: SubjectRequest,
): Promise<Subject> {
  const { remote = 'origin' } = request;
  const branch = name ?? (await currentBranch(project));
  const head = await requireCommit(project, name ?? 'HEAD');
  const main = request.base ?? request.mainBranch ?? (await detectMainBranch(project, remote));
  const onto =
    request.base === undefined
      ? ((await commitOf(project, main)) ?? (await requireCommit(project, `${remote}/${main}`)))
      : await requireCommit(project, main);
  const base = await commonCommit(project, onto, head, `${name ?? 'HEAD'} and ${main}`);
  return {
    kind: 'branch',
    title: `${branch ?? head.slice(0, 12)} against ${main}`,
    ...{ base, head },
    ...(branch === undefined ? {} : { branch }),
  };
}

/** What came on one side after the commit that both have; `undefined` when it is no range of two commits. */
async function ofRange(project: string, range: string): Promise<Subject | undefined> {
  const [, from, to] = /^(.*?)\.{2,3}(.*)$/.exec(range) ?? [];
  if (from === undefined || to === undefined) return undefined;
  const onto = await commitOf(project, from || 'HEAD');
  const head = await commitOf(project, to || 'HEAD');
  if (onto === undefined || head === undefined) return undefined;
  const base = await commonCommit(project, onto, head, range);
  return { kind: 'commits', title: `commits ${range}`, base, head };
}

async function commonCommit(project: string, one: string, other: string, names: string): Promise<string> {
  const base = (await runGit(project, ['merge-base', one, other])).stdout.trim();
  if (base === '') throw missingThing(`a common commit of ${names}`);
  return base;
}

async function ofTree(project: string, kind: 'staged' | 'uncommitted'): Promise<Subject> {
  const base = await requireCommit(project, 'HEAD');
  return { kind, title: `${kind} changes`, base, head: await commitOfTree(project, kind, base) };
}

async function ofDocument(
  project: string,
  cwd: string,
  name: string,
  kind?: 'plan' | 'doc',
): Promise<Subject> {
  // Its text goes to the agents: what is outside of the project does not.
  const file = await containedPath(project, path.relative(project, path.resolve(cwd, name)));
  const text = await readTextFile(file, 1024 * 1024).catch(() => undefined);
  if (text === undefined) throw missingThing(`${name}: no branch, commit or text file of that name`);
  const head = await requireCommit(project, 'HEAD');
  const settled = kind ?? (looksLikePlan(text) ? 'plan' : 'doc');
  const place = path.relative(project, file).split(path.sep).join('/');
  return {
    kind: settled,
    title: `${settled === 'plan' ? 'plan' : 'document'} ${place}`,
    ...{ base: head, head, document: { path: place, text } },
  };
}

async function requireCommit(project: string, revision: string): Promise<string> {
  const commit = await commitOf(project, revision);
  if (commit !== undefined) return commit;
  // A folder without a repository has another error.
  await topLevel(project);
  throw missingThing(`the commit ${revision}`);
}

function missingThing(what: string): CharretteError {
  return new CharretteError({
    code: 'not-found',
    message: `There is nothing to review: ${what} does not exist.`,
  });
}

function missing(what: string): never {
  throw new CharretteError({ code: 'usage', message: `\`review\` needs ${what}.` });
}

/** A changed file that is reviewed. The digest names the exact patch. */
export type SubjectFile = { path: string; oldPath: string; patch: string; digest: string };

/** a changed file that no reviewer reads, and why. */
export type LeftOut = {
  path: string;
  reason: SkippedFile['reason'] | 'no changed text' | 'change too large';
};

export type Frozen = { files: SubjectFile[]; leftOut: LeftOut[]; about: string };

const limits = { fileCharacters: 200_000, allCharacters: 2_000_000, partCharacters: 100_000 } as const;

/** everything that reviewers get to see of the subject, at one moment. */
export async function freeze(project: string, { base, head, title, document }: Subject): Promise<Frozen> {
  if (document !== undefined) {
    const { path: name, text } = document;
    const file = { path: name, oldPath: name, patch: text, digest: digestOf(text) };
    return { files: [file], leftOut: [], about: title };
  }
  const { snapshot } = await openIndex(project, head);
  const skipped = new Map(snapshot.skipped.map(({ path: name, reason }) => [name, reason]));
  const frozen: Frozen = {
    files: [],
    leftOut: [],
    about: `${title}\n${await messages(project, base, head)}`,
  };
  let total = 0;
  for (const { path: name, oldPath, text } of await patchesBetween(project, base, head)) {
    const reason = skipped.get(name) ?? skipByPath(name, 0) ?? unreadable(text, total);
    if (reason !== undefined) frozen.leftOut.push({ path: name, reason });
    else {
      total += text.length;
      frozen.files.push({ path: name, oldPath, patch: text, digest: digestOf(text) });
    }
  }
  return frozen;
}

function unreadable(patch: string, before: number): LeftOut['reason'] | undefined {
  if (patch.includes('\0')) return 'binary';
  if (hunksOf(patch).length === 0) return 'no changed text';
  const isLarge = patch.length > limits.fileCharacters || before + patch.length > limits.allCharacters;
  return isLarge ? 'change too large' : undefined;
}

/** Changed code that nobody read because there was too much of it. */
export function unreadCode(leftOut: readonly LeftOut[]): LeftOut[] {
  return leftOut.filter(
    ({ path: name, reason }) =>
      ['too large', 'change too large', 'over the memory limit'].includes(reason) &&
      ['source', 'test'].includes(fileKind(name)),
  );
}

async function messages(project: string, base: string, head: string): Promise<string> {
  const words = ['log', '--no-merges', '--max-count=50', '--format=%B', `${base}..${head}`];
  return (await gitOutput(project, words)).trim().slice(0, 20_000);
}

/** A large change is reviewed in parts of whole files. */
export function partsOf(
  files: readonly SubjectFile[],
  most: number = limits.partCharacters,
): SubjectFile[][] {
  const parts: SubjectFile[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const file of files) {
    size += file.patch.length;
    if (size > most) {
      parts.push([]);
      size = file.patch.length;
    }
    parts.at(-1)?.push(file);
  }
  return parts;
}

function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
