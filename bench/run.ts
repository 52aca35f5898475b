// `npm run bench`: the measurements that take seconds, one after the other. Longer ones are separate files.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

for (const name of ['start.ts', 'engine.ts']) {
  process.stdout.write(`\n== bench/${name}\n`);
  const { status } = spawnSync(process.execPath, [path.join(import.meta.dirname, name)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
