import { execFileSync } from 'node:child_process';
import { type ArtifactKey, artifactKeys } from '../../src/prompts/artifacts.ts';

/** One document of a feature before and after a commit, with the other documents of its folder as they were before. */
export type Revision = {
  commit: string;
  subject: string;
  /** ISO day. */
  date: string;
  folder: string;
  key: Exclude<ArtifactKey, 'prd'>;
  before: string;
  after: string;
  nearby: Readonly<Partial<Record<ArtifactKey, string>>>;
  /** The folder never held another of the five documents: a text that is kept up to date rather than a step of a feature. */
  lone: boolean;
};

/** Names under which projects keep the five documents; the first that is there counts. */
const fileNames: Readonly<Record<ArtifactKey, readonly string[]>> = {
  prd: ['prd.md', 'proposal.md'],
  spec: ['spec.md', 'requirements.md'],
  design: ['design.md'],
  plan: ['plan.md'],
  tasks: ['tasks.md'],
};

/** What git is asked for: these files, in everything that led to the newest commit. */
const documents = [
  'HEAD',
  '--',
  ...Object.values(fileNames)
    .flat()
    .map((name) => `*/${name}`),
];

/** Each feature has a folder below one of these; commands and templates do not. */
const places = /(?:^|\/)(?:features|specs|changes)\/(?!.*(?:template|archive)).+\/[^/]+$/i;

const mostOutput = 1024 * 1024 * 1024;
const atOnce = 200;

/** Every change of a document that was there before, oldest first. Merges and renames do not count. */
export function readRevisions(repository: string): Revision[] {
  const changes = changesIn(repository);
  const kinds = kindsByFolder(repository);
  const found: Revision[] = [];
  for (let start = 0; start < changes.length; start += atOnce) {
    const some = changes.slice(start, start + atOnce);
    const objects = readObjects(repository, some.flatMap(wanted));
    for (const change of some) {
      const [before, after] = [objects.get(change.before), objects.get(change.after)];
      if (before === undefined || after === undefined) continue;
      const { commit, subject, date, folder, key } = change;
      const lone = (kinds.get(folder)?.size ?? 0) < 2;
      const nearby = nearbyOf(change, objects);
      found.push({ commit, subject, date, folder, key, before, after, nearby, lone });
    }
  }
  return found;
}

type Change = Pick<Revision, 'commit' | 'subject' | 'date' | 'folder' | 'key'> & {
  /** Object names. */
  before: string;
  after: string;
};

function changesIn(repository: string): Change[] {
  const text = git(repository, [
    'log',
    '--reverse',
    '--no-merges',
    '--no-renames',
    '--raw',
    '--no-abbrev',
    '--diff-filter=M',
    '--format=%x01%H%x00%cs%x00%s',
    ...documents,
  ]).toString('utf8');
  return text.split('\u0001').flatMap((entry) => {
    const [head = '', ...lines] = entry.split('\n');
    const [commit = '', date = '', subject = ''] = head.split('\0');
    return lines.flatMap((line): Change[] => {
      const [facts = '', file = ''] = line.split('\t');
      const [, , before = '', after = ''] = facts.split(' ');
      const key = keyOf(file);
      if (key === undefined || key === 'prd' || !places.test(file)) return [];
      return [{ commit, date, subject, folder: folderOf(file), key, before, after }];
    });
  });
}

/** Which of the five documents a folder held at any time. */
function kindsByFolder(repository: string): Map<string, Set<ArtifactKey>> {
  const names = git(repository, ['log', '--no-renames', '--name-only', '--format=', ...documents]);
  const kinds = new Map<string, Set<ArtifactKey>>();
  for (const file of new Set(names.toString('utf8').split('\n'))) {
    const [folder, key] = [folderOf(file), keyOf(file)];
    if (key !== undefined) kinds.set(folder, (kinds.get(folder) ?? new Set()).add(key));
  }
  return kinds;
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/'));
}

function keyOf(file: string): ArtifactKey | undefined {
  const name = file.slice(file.lastIndexOf('/') + 1).toLowerCase();
  return artifactKeys.find((key) => fileNames[key].includes(name));
}

function wanted(change: Change): string[] {
  return [change.before, change.after, ...artifactKeys.flatMap((key) => namesAt(change, key))];
}

function namesAt({ commit, folder }: Change, key: ArtifactKey): string[] {
  return fileNames[key].map((name) => `${commit}^:${folder}/${name}`);
}

function nearbyOf(change: Change, objects: ReadonlyMap<string, string>): Revision['nearby'] {
  const texts: Partial<Record<ArtifactKey, string>> = {};
  for (const key of artifactKeys) {
    const text = namesAt(change, key)
      .map((name) => objects.get(name))
      .find((candidate) => candidate !== undefined);
    if (text !== undefined && key !== change.key) texts[key] = text;
  }
  return texts;
}

/** Contents by the name that was asked for; what is not there is left out. */
function readObjects(repository: string, names: readonly string[]): Map<string, string> {
  const asked = [...new Set(names)].filter((name) => !name.includes('\n'));
  const bytes = git(repository, ['cat-file', '--batch'], `${asked.join('\n')}\n`);
  const objects = new Map<string, string>();
  let place = 0;
  for (const name of asked) {
    const end = bytes.indexOf(10, place);
    const head = bytes.toString('utf8', place, end);
    place = end + 1;
    const size = /^[0-9a-f]+ (\w+) (\d+)$/.exec(head);
    if (size === null) continue;
    const length = Number(size[2]);
    if (size[1] === 'blob') objects.set(name, bytes.toString('utf8', place, place + length));
    place += length + 1;
  }
  return objects;
}

function git(repository: string, words: readonly string[], input?: string): Buffer {
  return execFileSync('git', ['-C', repository, ...words], {
    maxBuffer: mostOutput,
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(input === undefined ? {} : { input }),
  });
}
