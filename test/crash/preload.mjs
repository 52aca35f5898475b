// Loaded into the program with `node --import`: counts every write to the store and to files, and kills the process with
// SIGKILL at the one that $CRASH_AT names. With $CRASH_COUNT_FILE it writes the number of writes at the end.
import { appendFileSync } from 'node:fs';
import { watchWrites } from './watch-writes.mjs';

const at = Number(process.env.CRASH_AT ?? 0);
const countFile = process.env.CRASH_COUNT_FILE;
let writes = 0;

watchWrites(() => {
  writes += 1;
  if (writes === at) process.kill(process.pid, 'SIGKILL');
});

process.on('exit', () => {
  if (countFile) appendFileSync(countFile, `${writes}\n`);
});
