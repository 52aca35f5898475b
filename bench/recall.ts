/**
 * `node bench/recall.ts <git directory>…`: how well the search finds the files of a change from its description alone.
 * For each of the last single-purpose commits: the message goes in, the state before the commit and the history up to
 * its parent are searched, and the files the commit changed must come out. Prints numbers only.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { rankFiles } from '../src/repo/index/rank-files.ts';
import { createFactCache, indexRepository } from '../src/repo/index/repository-index.ts';
import { createSnapshotCache, readSnapshot } from '../src/repo/index/snapshot.ts';

export const protocol = {
  commits: 200,
  /** A single-purpose commit changes this many files, at least one of which was there before. */
  files: { from: 1, to: 10 },
  cut: 10,
  /** Commits made by routine, about no feature: releases, dependency updates, merges, reverts. */
  routine:
    /^(?:merge|revert|release|bump|update (?:changelog|deps|dependenc|lock)|v?\d+\.\d+|\d+\.\d+)|\b(?:deps|deps-dev|release|bump(?:s|ed)?)\b|^(?:chore|build)\(?(?:deps|release)/i,
} as const;

type Case = { parent: string; message: string; changed: string[] };

type Measured = { recall: number; firstHit: boolean; size: number };

function git(directory: string, args: string[]): string {
  const result = spawnSync('git', args, { cwd: directory, encoding: 'utf8', maxBuffer: 1 << 30 });
  if (result.status !== 0) throw new Error(`git ${args[0]} in ${directory}: ${result.stderr}`);
  return result.stdout;
}

/** The newest commits that fit the protocol, with the files that existed before and were changed or removed. */
export function casesOf(directory: string): Case[] {
  const log = git(directory, [
    'log',
    '--no-merges',
    '--no-renames',
    '--name-status',
    '-z',
    '--max-count=3000',
    '--format=%x01%P%x00%B%x00',
  ]);
  const cases: Case[] = [];
  for (const block of log.split('\x01').slice(1)) {
    const [parent = '', message = '', ...rest] = block.split('\0').map((part) => part.replace(/^\n+/, ''));
    const fields = rest.filter((part) => part !== '');
    const all: { status: string; file: string }[] = [];
    for (let at = 0; at + 1 < fields.length; at += 2) {
      all.push({ status: fields[at] ?? '', file: fields[at + 1] ?? '' });
    }
    const changed = all.filter(({ status }) => status !== 'A').map(({ file }) => file);
    const { from, to } = protocol.files;
    if (!/^[0-9a-f]{40}$/.test(parent) || changed.length < from || all.length > to) continue;
    if (protocol.routine.test(message.split('\n', 1)[0] ?? '')) continue;
    cases.push({ parent, message: message.trim(), changed });
    if (cases.length === protocol.commits) break;
  }
  return cases;
}

async function measure(directory: string, subjectOnly: boolean): Promise<Measured[]> {
  const [snapshots, facts] = [createSnapshotCache(), createFactCache()];
  const measured: Measured[] = [];
  for (const { parent, message, changed } of casesOf(directory)) {
    const index = await indexRepository(await readSnapshot(directory, parent, { cache: snapshots }), facts);
    const description = subjectOnly ? (message.split('\n', 1)[0] ?? '') : message;
    const found = new Set(rankFiles(index, description, protocol.cut).map((file) => file.path));
    const hits = changed.filter((file) => found.has(file)).length;
    measured.push({ recall: hits / changed.length, firstHit: hits > 0, size: index.files.length });
  }
  return measured;
}

const mean = (values: readonly number[]): number =>
  values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);

/** The measured rows of each repository. */
export async function measureRecall(directories: readonly string[], subjectOnly = false) {
  const rows: {
    repository: string;
    /** The newest commit of the clone, with its day. */
    head: string;
    commits: number;
    files: number;
    'recall@10': number;
    'hit@10': number;
  }[] = [];
  for (const directory of directories) {
    const measured = await measure(directory, subjectOnly);
    rows.push({
      repository: path.basename(path.resolve(directory).replace(/\/(?:repo|\.git)\/?$/, '')),
      head: git(directory, ['log', '-1', '--format=%h %cs']).trim(),
      commits: measured.length,
      files: Math.round(mean(measured.map(({ size }) => size))),
      'recall@10': Number(mean(measured.map(({ recall }) => recall)).toFixed(3)),
      'hit@10': Number(mean(measured.map(({ firstHit }) => (firstHit ? 1 : 0))).toFixed(3)),
    });
  }
  const date = new Date().toISOString().slice(0, 10);
  return { date, protocol: { ...protocol, routine: protocol.routine.source }, rows };
}

if (import.meta.main) {
  const directories = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  if (directories.length === 0) {
    process.stderr.write('usage: node bench/recall.ts [--subject] <git directory>…\n');
    process.exit(2);
  }
  const result = await measureRecall(directories, process.argv.includes('--subject'));
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
}
