import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { type TemporaryRepository, temporaryRepository } from './temporary-repository.ts';

/** Repositories that begin with one commit of `a.txt` and `src/b.txt`, and other folders; a test's own are gone when it ends. */
export function startedRepositories() {
  const started = temporaryRepository();
  started.write('a.txt', 'one\n');
  started.write('src/b.txt', 'two\n');
  started.commit('start');
  afterAll(() => started.remove());
  const folders: string[] = [];
  afterEach(() => {
    for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
  });
  const folder = (): string => {
    const made = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'charrette-git-')));
    folders.push(made);
    return made;
  };
  return {
    folder,
    copy: (): TemporaryRepository => {
      const root = folder();
      cpSync(started.root, root, { recursive: true });
      return temporaryRepository(root);
    },
    empty: (): TemporaryRepository => {
      const made = temporaryRepository();
      folders.push(made.root);
      return made;
    },
    /** A remote of a repository with one more commit. */
    remoteOf: (repository: TemporaryRepository): TemporaryRepository => {
      const remote = folder();
      repository.git('clone', '--quiet', '--bare', repository.root, path.join(remote, 'o.git'));
      repository.git('remote', 'add', 'origin', path.join(remote, 'o.git'));
      repository.git('clone', '--quiet', path.join(remote, 'o.git'), path.join(remote, 'clone'));
      const other = temporaryRepository(path.join(remote, 'clone'));
      other.write('remote.txt', 'x\n');
      other.commit('from afar');
      other.git('push', '--quiet', 'origin', 'main');
      return other;
    },
  };
}
