// Loaded into the program with `node --import`: counts every write to the store and to files of a run, and kills the
// process with SIGKILL at the one that $CRASH_AT names. With $CRASH_COUNT_FILE it writes the number of writes at the end.
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';

const at = Number(process.env.CRASH_AT ?? 0);
const countFile = process.env.CRASH_COUNT_FILE;
let writes = 0;

function count() {
  writes += 1;
  if (writes === at) process.kill(process.pid, 'SIGKILL');
}

function wrap(object, name) {
  const original = object[name];
  object[name] = function counted(...args) {
    count();
    return original.apply(this, args);
  };
}

for (const name of ['writeSync', 'renameSync', 'writeFileSync']) wrap(fs, name);
for (const name of ['rename', 'writeFile']) wrap(fs.promises, name);
syncBuiltinESMExports();

const pg = createRequire(import.meta.url)('pg');
const query = pg.Client.prototype.query;
pg.Client.prototype.query = function counted(...args) {
  const text = typeof args[0] === 'string' ? args[0] : args[0]?.text;
  if (/^\s*(?:insert|update|delete|commit)/i.test(text ?? '')) count();
  return query.apply(this, args);
};

process.on('exit', () => {
  if (countFile) fs.appendFileSync(countFile, `${writes}\n`);
});
