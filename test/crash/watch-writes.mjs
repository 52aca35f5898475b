// Tells of every write that a process makes to files and to a store, and of every program it starts, just before it happens.
// A kill -9 at that moment leaves what was there so far. What changes nothing is not told: a folder that is there already, the
// removal of what is not there, a git command that only reads. A call counts once, however many system calls Node makes of it.
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import path from 'node:path';

const isThere = (file) => fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;

/** Calls that name a file: which of their words does, and when they change something; absent: always. */
const byPath = {
  writeFile: { word: 0 },
  appendFile: { word: 0 },
  truncate: { word: 0 },
  chmod: { word: 0 },
  mkdtemp: { word: 0 },
  mkdir: { word: 0, when: (file) => !isThere(file) },
  rmdir: { word: 0, when: isThere },
  rm: { word: 0, when: isThere },
  unlink: { word: 0, when: isThere },
  rename: { word: 1 },
  copyFile: { word: 1 },
  cp: { word: 1 },
  link: { word: 1 },
  symlink: { word: 1 },
};
const byDescriptor = [
  'writeSync',
  'writevSync',
  'ftruncateSync',
  'fchmodSync',
  'write',
  'writev',
  'ftruncate',
];
const byHandle = ['write', 'writev', 'writeFile', 'appendFile', 'truncate', 'chmod'];

/** Git commands that leave everything as it is, whatever their words. */
const readingGit = new Set([
  '--version',
  'blame',
  'cat-file',
  'check-ignore',
  'check-ref-format',
  'diff',
  'diff-tree',
  'for-each-ref',
  'grep',
  'log',
  'ls-files',
  'ls-tree',
  'merge-base',
  'rev-list',
  'rev-parse',
  'show',
  'show-ref',
  'status',
]);
const gitOptionsWithValue = new Set(['-c', '-C', '--git-dir', '--work-tree']);

/**
 * Calls `onWrite(kind, target)` before each write; `target` is a path, the text of a statement to the store, or for the kind
 * `start` the program and its first word.
 */
export function watchWrites(onWrite) {
  /** Files by the number under which they are open, and by their handle. */
  const names = new Map();
  const handles = new WeakMap();
  let watched = false;
  /** Node makes some calls of others of its own. */
  let inside = false;

  for (const [name, rule] of Object.entries(byPath)) {
    before(fs, `${name}Sync`, (words) => nameOf(words, rule));
    before(fs.promises, name, (words) => nameOf(words, rule));
  }
  for (const name of byDescriptor) before(fs, name, ([descriptor]) => names.get(descriptor));
  for (const object of [fs, fs.promises]) before(object, 'open', opened);
  before(fs, 'openSync', opened);
  after(fs, 'openSync', (words, descriptor) => names.set(descriptor, path.resolve(String(words[0]))));
  rememberOpened();
  rememberHandles();
  before(childProcess.ChildProcess.prototype, 'spawn', ([options]) => startOf(options), 'start');
  syncBuiltinESMExports();
  watchStatements();

  /** A file that is open may be written to by its number. */
  function nameOf(words, { word, when }) {
    const file = words[word];
    if (when !== undefined && !when(file)) return undefined;
    return names.get(file) ?? handles.get(file) ?? path.resolve(String(file));
  }

  function before(object, name, target, kind = name) {
    const original = object[name];
    const watching = function watching(...words) {
      const about = inside ? undefined : target(words);
      if (about !== undefined) onWrite(kind, about);
      const outer = inside;
      inside = true;
      try {
        return original.apply(this, words);
      } finally {
        inside = outer;
      }
    };
    object[name] = Object.defineProperties(watching, Object.getOwnPropertyDescriptors(original));
  }

  function rememberOpened() {
    const { open } = fs;
    fs.open = function watching(...words) {
      const done = words.at(-1);
      const told = (error, descriptor) => {
        if (!error) names.set(descriptor, path.resolve(String(words[0])));
        done(error, descriptor);
      };
      return open.apply(this, [...words.slice(0, -1), told]);
    };
  }

  function rememberHandles() {
    const { open } = fs.promises;
    fs.promises.open = async function watching(...words) {
      const handle = await open.apply(this, words);
      handles.set(handle, path.resolve(String(words[0])));
      if (!watched) watchHandles(Object.getPrototypeOf(handle));
      return handle;
    };
  }

  function watchHandles(prototype) {
    watched = true;
    for (const name of byHandle) {
      const original = prototype[name];
      prototype[name] = function watching(...words) {
        const file = handles.get(this);
        if (file !== undefined) onWrite(`handle.${name}`, file);
        return original.apply(this, words);
      };
    }
  }

  function watchStatements() {
    const pg = createRequire(import.meta.url)('pg');
    const query = pg.Client.prototype.query;
    pg.Client.prototype.query = function watching(...args) {
      const text = typeof args[0] === 'string' ? args[0] : args[0]?.text;
      if (/^\s*(?:insert|update|delete|commit)/i.test(text ?? '')) onWrite('query', text);
      return query.apply(this, args);
    };
  }
}

/** Opening a file writes when it makes or empties it. */
function opened([file, flags = 'r']) {
  const { makes, empties } = meaningOf(flags);
  if (!makes && !empties) return undefined;
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return makes ? path.resolve(String(file)) : undefined;
  return empties && stat.size > 0 ? path.resolve(String(file)) : undefined;
}

function meaningOf(flags) {
  if (typeof flags === 'number')
    return {
      makes: (flags & fs.constants.O_CREAT) !== 0,
      empties: (flags & fs.constants.O_TRUNC) !== 0,
    };
  return { makes: /[wa]/.test(flags), empties: flags.startsWith('w') && !flags.includes('x') };
}

function startOf({ file, args = [] }) {
  const program = path.basename(String(file));
  const words = args.slice(1);
  if (program !== 'git') return `${program} ${words[0] ?? ''}`.trim();
  while (words.length > 0 && words[0].startsWith('-') && words[0] !== '--version')
    words.splice(0, gitOptionsWithValue.has(words[0]) ? 2 : 1);
  return readingGit.has(words[0]) ? undefined : `git ${words[0] ?? ''}`.trim();
}

function after(object, name, tell) {
  const original = object[name];
  object[name] = function watching(...words) {
    const result = original.apply(this, words);
    tell(words, result);
    return result;
  };
}
