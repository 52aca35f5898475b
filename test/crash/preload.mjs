// Loaded into the program with `node --import`: counts every write to the store and to files and every start of a program, and kills the
// process with SIGKILL at the one that $CRASH_AT names. With $CRASH_COUNT_FILE it writes the number of writes at the end. Statements and
// paths that $CRASH_SKIP matches do not count.
import { appendFileSync } from 'node:fs';
import { watchWrites } from './watch-writes.mjs';

const at = Number(process.env.CRASH_AT ?? 0);
const countFile = process.env.CRASH_COUNT_FILE;
const skipped = process.env.CRASH_SKIP === undefined ? undefined : new RegExp(process.env.CRASH_SKIP, 'i');
let writes = 0;

watchWrites((_kind, target) => {
  if (skipped?.test(target)) return;
  writes += 1;
  if (writes === at) process.kill(process.pid, 'SIGKILL');
});

process.on('exit', () => {
  if (countFile) appendFileSync(countFile, `${writes}\n`);
});
