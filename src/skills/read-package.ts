import { isUtf8 } from 'node:buffer';
import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isPackageText, type PackageFiles } from './model/package.ts';

/** Larger Markdown files are reported, not read. */
export const largestFile = 16 * 1024 * 1024;
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
    // It can be judged, but whoever wrote it back would have replaced what cannot be decoded.
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
