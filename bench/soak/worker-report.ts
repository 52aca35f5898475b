// Loaded into a worker before its program (`--expose-gc --import`): on SIGUSR2 it writes the measurements of the process into the
// file that CHARRETTE_BENCH_LOOK names.
import { renameSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { lookAtProcess } from './process-look.ts';

const file = process.env['CHARRETTE_BENCH_LOOK'];
if (isMainThread && file !== undefined)
  process.on('SIGUSR2', async () => {
    writeFileSync(`${file}.new`, JSON.stringify(await lookAtProcess()));
    renameSync(`${file}.new`, file);
  });
