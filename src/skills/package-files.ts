import { isUtf8 } from 'node:buffer';
import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files/atomic.ts';
import { containedPath, isMissing } from '../base/files/bounded.ts';
import { unifiedDiff } from '../base/text/diff.ts';
import { joinTruncated } from '../base/text/strings.ts';
import type { PackageFile } from './install/package-tree.ts';
import { isPackageText, type PackageFiles } from './model/package.ts';

/** Larger Markdown files are reported, not read. */
const largestFile = 16 * 1024 * 1024;
const deepest = 6;
const mostEntries = 5_000;
/** Folders of a package whose files are material: a SKILL.md in them is a template or a sample, not a package. */
const material = new Set(['assets', 'templates', 'references', 'examples', 'evals', 'tests']);
/** Folders that hold material wherever they are: inputs of tests, often wrong on purpose, and a template to copy. */
const samples = /^_{0,2}fixtures_{0,2}$|^testdata$|^(?:_|skill-)?template(?:-skill)?$/;
/** What `--force` keeps of a package it replaces. */
const backup = /^\..+\.backup-\d{8}-\d{6}/;
/** Folders of tests; a skill may be called so too, then its SKILL.md lies right in it. */
const tests = /^_{0,2}tests?_{0,2}$/;
const skipped = new Set(['node_modules', '.git', '.hg', '.svn', '__pycache__', '.venv']);

/** Reads a package directory: SKILL.md, phases and plan files as text, all else by name. Symlinked folders are not entered. */
export function readPackageFiles(directory: string): PackageFiles {
  const texts = new Map<string, string>();
  const listing = new Set<string>();
  const unreadable: { path: string; message: string }[] = [];
  const walk = (relative: string, depth: number) => {
    for (const entry of entriesOf(path.join(directory, relative), relative, unreadable)) {
      if (listing.size >= mostEntries || skipped.has(entry.name)) continue;
      const inside = relative === '' ? entry.name : `${relative}/${entry.name}`;
      listing.add(inside);
      if (entry.isDirectory()) {
        if (depth < deepest) walk(inside, depth + 1);
      } else if (isPackageText(inside)) {
        const text = readText(path.join(directory, inside), inside, unreadable);
        if (text !== undefined) texts.set(inside, text);
      }
    }
  };
  walk('', 0);
  return { path: directory, directory: path.basename(path.resolve(directory)), texts, listing, unreadable };
}

function entriesOf(
  directory: string,
  relative: string,
  unreadable: { path: string; message: string }[],
): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    unreadable.push({ path: relative === '' ? '.' : relative, message: reason(error) });
    return [];
  }
}

function readText(
  file: string,
  inside: string,
  unreadable: { path: string; message: string }[],
): string | undefined {
  try {
    // A FIFO or device would block; a link to a regular file is fine.
    const found = statSync(file);
    if (!found.isFile()) {
      unreadable.push({ path: inside, message: 'it is not a regular file' });
      return undefined;
    }
    if (found.size > largestFile) {
      unreadable.push({
        path: inside,
        message: `it has ${found.size} bytes; at most ${largestFile} are read`,
      });
      return undefined;
    }
    const bytes = readFileSync(file);
    // It can be linted, but writing it back would replace the bytes that cannot be decoded.
    if (!isUtf8(bytes)) unreadable.push({ path: inside, message: 'it is not UTF-8' });
    return bytes.toString('utf8');
  } catch (error) {
    unreadable.push({ path: inside, message: reason(error) });
    return undefined;
  }
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EACCES' || code === 'EPERM') return 'reading it is not permitted';
  if (code === 'ELOOP') return 'its links form a loop';
  if (code === 'ENOENT') return 'its link leads nowhere';
  return error instanceof Error ? error.message : String(error);
}

/** Directories at or below a root that hold a SKILL.md, in path order. Links are not followed. */
export function findPackages(root: string): string[] {
  const found: string[] = [];
  const walk = (directory: string, depth: number, inPackage: boolean) => {
    let entries: Dirent[];
    try {
      entries = readdirSync(directory, { withFileTypes: true });
    } catch {
      return;
    }
    const isPackage = entries.some((entry) => entry.name === 'SKILL.md');
    if (isPackage) found.push(directory);
    if (depth >= 12 || found.length >= 100_000) return;
    for (const entry of entries) {
      if (!entry.isDirectory() || skipped.has(entry.name)) continue;
      if (
        samples.test(entry.name) ||
        backup.test(entry.name) ||
        ((isPackage || inPackage) && material.has(entry.name))
      )
        continue;
      const below = path.join(directory, entry.name);
      if (tests.test(entry.name) && !existsSync(path.join(below, 'SKILL.md'))) continue;
      walk(below, depth + 1, isPackage || inPackage);
    }
  };
  walk(root, 0, false);
  return found.sort();
}

type FileChange = {
  path: string;
  kind: 'created' | 'changed' | 'unchanged' | 'removed';
  diff: string;
};

export type WriteOutcome = {
  directory: string;
  changes: readonly FileChange[];
  /** Where the files that were replaced are kept. */
  backup: string | undefined;
  written: boolean;
};

type WriteOptions = { force: boolean; dryRun: boolean; now: Date };

/**
 * S-007: writes `root/name/…`. The same content again changes nothing; other content is refused without `force`, and
 * with it the old files are kept next to the package. Nothing outside `root/name` and its backup is written.
 */
export async function writePackage(
  root: string,
  name: string,
  files: ReadonlyMap<string, string | PackageFile>,
  options: WriteOptions,
): Promise<WriteOutcome> {
  if (!options.dryRun) await mkdir(root, { recursive: true });
  const directory = path.join(root, name);
  await refuseLink(directory);
  const changes: FileChange[] = [];
  const old = new Map<string, Buffer>();
  for (const [file, content] of files) {
    const before = await readOld(directory, file);
    if (before !== undefined) old.set(file, before);
    changes.push(compare(file, before, fileOf(content).bytes));
  }
  // A phase file of an earlier version would be an orphan, so it goes too.
  for (const file of await strayPhases(directory, files)) {
    const before = await readOld(directory, file);
    if (before === undefined) continue;
    old.set(file, before);
    changes.push({ path: file, kind: 'removed', diff: diffOf(file, before, Buffer.alloc(0)) });
  }
  const replaced = changes.filter(({ kind }) => kind === 'changed' || kind === 'removed');
  if (replaced.length > 0 && !options.force && !options.dryRun) throw wouldOverwrite(directory, replaced);
  if (options.dryRun || changes.every(({ kind }) => kind === 'unchanged')) {
    return { directory, changes, backup: undefined, written: false };
  }
  const backup = replaced.length === 0 ? undefined : path.join(root, `.${name}.backup-${stamp(options.now)}`);
  await mkdir(directory, { recursive: true });
  // Every place is known to lie inside before the first file is written.
  const targets = new Map<string, string>();
  for (const { path: file } of changes) targets.set(file, await containedPath(directory, file));
  if (backup !== undefined) {
    for (const { path: file } of replaced)
      await writeFileAtomic(path.join(backup, file), old.get(file) ?? '');
  }
  for (const { path: file, kind } of changes) {
    const target = targets.get(file) ?? '';
    const { bytes, executable } = fileOf(files.get(file) ?? '');
    if (kind === 'created' || kind === 'changed')
      await writeFileAtomic(target, bytes, executable ? 'executable' : 'plain');
    if (kind === 'removed') await removeFile(target);
  }
  return { directory, changes, backup, written: true };
}

function fileOf(content: string | PackageFile): PackageFile {
  return typeof content === 'string' ? { bytes: Buffer.from(content), executable: false } : content;
}

async function removeFile(target: string): Promise<void> {
  const { rm } = await import('node:fs/promises');
  await rm(target, { force: true });
}

/** A package directory that is a link would send the files elsewhere. */
export async function refuseLink(directory: string): Promise<void> {
  try {
    const found = await lstat(directory);
    if (!found.isSymbolicLink()) return;
    throw new CharretteError({
      code: 'path-unsafe',
      message: `${directory} is a link to ${await realpath(directory).catch(() => 'nowhere')}.`,
      fix: 'Remove the link, or choose another place.',
    });
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function readOld(directory: string, file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path.join(directory, file));
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof Error && 'code' in error && error.code === 'EISDIR')
      throw new CharretteError({
        code: 'would-overwrite',
        message: `${path.join(directory, file)} is a folder.`,
        fix: 'Move it away.',
      });
    throw error;
  }
}

async function strayPhases(directory: string, files: ReadonlyMap<string, unknown>): Promise<string[]> {
  try {
    const names = await readdir(path.join(directory, 'phases'));
    return names.map((name) => `phases/${name}`).filter((file) => file.endsWith('.md') && !files.has(file));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function compare(file: string, before: Buffer | undefined, after: Buffer): FileChange {
  if (before === undefined) return { path: file, kind: 'created', diff: '' };
  if (before.equals(after)) return { path: file, kind: 'unchanged', diff: '' };
  return { path: file, kind: 'changed', diff: diffOf(file, before, after) };
}

function diffOf(file: string, before: Buffer, after: Buffer): string {
  if (!isUtf8(before) || !isUtf8(after)) return `Binary file ${file} differs\n`;
  const result = unifiedDiff(before.toString('utf8'), after.toString('utf8'), {
    before: `a/${file}`,
    after: `b/${file}`,
  });
  return result.kind === 'diff' ? result.text : '';
}

function wouldOverwrite(directory: string, replaced: readonly FileChange[]): CharretteError {
  const names = joinTruncated(replaced.map(({ path: file }) => file));
  return new CharretteError({
    code: 'would-overwrite',
    message: `${directory} has other content: ${names}.`,
    fix: 'Look with --dry-run, or replace it with --force (the old files are kept next to it).',
  });
}

function stamp(now: Date): string {
  return now.toISOString().replace(/[-:]/g, '').replace(/\..*$/, '').replace('T', '-');
}
