// The thread in which targets are tried. The next input is in shared memory: when the thread hangs or dies, the input is known.
import { parentPort, workerData } from 'node:worker_threads';
import { savedTexts } from './corpus.ts';
import { watchCoverage } from './coverage.ts';
import { explore } from './explore.ts';
import { measureGrowth } from './growth.ts';
import { randomFrom, seedOf } from './mutate.ts';
import type { Job, Report } from './run-targets.ts';

const { names, milliseconds, texts, seed, shared } = workerData as Job;
const header = new Int32Array(shared, 0, 2);
const characters = new Uint16Array(shared, 8);

watchCoverage();
const { targets } = await import('./targets.ts');

for (const name of names) {
  const target = targets.find((candidate) => candidate.name === name);
  if (target === undefined) throw new Error(`no target ${name}`);
  const random = randomFrom(seedOf(name, seed));
  const started = Date.now();
  parentPort?.postMessage({ type: 'start', name });
  const exploration = await explore(target, {
    random,
    saved: savedTexts(name).map(({ text }) => text),
    until: started + milliseconds * 0.75,
    most: texts,
    onTry: show,
  });
  const growth = await measureGrowth(target, {
    random,
    texts: exploration.kept,
    until: started + milliseconds,
    most: texts / 20,
    onTry: show,
  });
  const { finding, ...figures } = growth;
  const { kept, findings, ...counts } = exploration;
  const report: Report = {
    name,
    ...counts,
    ...figures,
    kept: kept.length,
    findings: [...findings, ...(finding === undefined ? [] : [finding])],
  };
  parentPort?.postMessage({ type: 'report', report });
}
// Targets may have started processes that would keep this thread.
process.exit(0);

function show(text: string): void {
  const length = Math.min(text.length, characters.length);
  for (let index = 0; index < length; index += 1) characters[index] = text.charCodeAt(index);
  Atomics.store(header, 1, length);
  Atomics.add(header, 0, 1);
}
