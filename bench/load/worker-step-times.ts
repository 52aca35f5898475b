// Loaded into a worker before its program (`--import`): leaves the overheads of its steps in the folder that
// CHARRETTE_BENCH_STEPS names when it ends.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { timeSteps } from './step-times.ts';

const folder = process.env['CHARRETTE_BENCH_STEPS'];
if (isMainThread && folder !== undefined) {
  // The built class, which the program shares.
  const engineModule = new URL('../../dist/engine.js', import.meta.url).href;
  const { WorkflowContext } = (await import(engineModule)) as typeof import('../../src/engine/index.ts');
  const overheads = timeSteps(WorkflowContext);
  process.on('exit', () =>
    writeFileSync(path.join(folder, `${process.pid}.json`), JSON.stringify(overheads)),
  );
}
