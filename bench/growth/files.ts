// Files of a repository.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { thisWorld } from '../../src/agents/settings.ts';
import { confine } from '../../src/agents/tree-guard.ts';
import { readSnapshot } from '../../src/repo/index/snapshot.ts';
import type { Dimension } from './dimension.ts';
import { spread } from './sizes.ts';

/** What a repository costs before anybody has said a word about it. */
export function fileWork(workspace: string): Dimension[] {
  return [
    {
      what: 'files of a repository',
      work: 'a reader without bubblewrap: a copy made, it and the original compared before and after',
      sizes: spread(20, 2000),
      prepare: (size) => inRepository(workspace, size, watchReader),
    },
    {
      what: 'files of a repository',
      work: 'all of them read from a commit',
      sizes: spread(20, 2000),
      prepare: (size) => inRepository(workspace, size, (directory) => readSnapshot(directory)),
    },
  ];
}

async function watchReader(directory: string): Promise<void> {
  const laneDirectory = path.join(directory, '.charrette', 'lane');
  const { release } = await confine({
    access: 'read',
    guard: 'disk',
    directory,
    home: laneDirectory,
    laneDirectory,
    program: [process.execPath],
    visible: [],
    world: { ...thisWorld(), jail: 'off' },
  });
  const changed = await release();
  if (changed.length > 0) throw new Error(`${changed[0]} changed although nothing wrote to it.`);
}

function inRepository(workspace: string, size: number, act: (directory: string) => Promise<unknown>) {
  const directory = mkdtempSync(path.join(workspace, 'files-'));
  const git = (...words: string[]) => execFileSync('git', ['-C', directory, ...words]);
  git('init', '--quiet');
  for (let index = 0; index < size; index += 1) {
    const folder = path.join(directory, 'src', String(index % 100));
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `${index}.ts`), `export const value${index} = ${index};\n`.repeat(100));
  }
  writeFileSync(path.join(directory, '.gitignore'), '.charrette\n');
  git('add', '--all');
  git(
    '-c',
    'user.name=Growth',
    '-c',
    'user.email=growth@localhost',
    'commit',
    '--quiet',
    '--message',
    'Files',
  );
  return { act: () => act(directory), clean: () => rmSync(directory, { recursive: true }) };
}
