// Tells of every write that a process makes to files and to a store, just before it happens. A kill -9 at that moment
// leaves what was there so far.
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';

const byPath = ['renameSync', 'writeFileSync', 'appendFileSync', 'rmSync', 'unlinkSync'];
const byDescriptor = ['writeSync', 'ftruncateSync'];
const byPathLater = ['rename', 'writeFile', 'appendFile', 'rm', 'unlink'];

/** Calls `onWrite(kind, target)` before each write; `target` is a path, or the text of a statement to the store. */
export function watchWrites(onWrite) {
  const names = new Map();
  after(fs, 'openSync', ([file], descriptor) => names.set(descriptor, String(file)));
  for (const name of byDescriptor) before(fs, name, ([descriptor]) => names.get(descriptor) ?? '');
  // A file that is open may be written to by its number.
  const open = ([file, target]) => names.get(file) ?? targetOf([file, target]);
  for (const name of byPath) before(fs, name, open);
  for (const name of byPathLater) before(fs.promises, name, targetOf);
  syncBuiltinESMExports();
  watchStatements();

  function before(object, name, target) {
    const original = object[name];
    object[name] = function watched(...args) {
      onWrite(name, target(args));
      return original.apply(this, args);
    };
  }

  function watchStatements() {
    const pg = createRequire(import.meta.url)('pg');
    const query = pg.Client.prototype.query;
    pg.Client.prototype.query = function watched(...args) {
      const text = typeof args[0] === 'string' ? args[0] : args[0]?.text;
      if (/^\s*(?:insert|update|delete|commit)/i.test(text ?? '')) onWrite('query', text);
      return query.apply(this, args);
    };
  }
}

/** Renaming writes to where the file goes. */
function targetOf([file, target]) {
  return typeof target === 'string' && typeof file === 'string' && target.startsWith('/')
    ? target
    : String(file);
}

function after(object, name, tell) {
  const original = object[name];
  object[name] = function watched(...args) {
    const result = original.apply(this, args);
    tell(args, result);
    return result;
  };
}
