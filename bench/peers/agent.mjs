// The scripted agent that every graph asks, so that all do the same work: it notes the call, waits, answers.
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [folder = '.', latency = '0', deadly = ''] = process.argv.slice(2);
/** Where a graph keeps its state; the same folder again means: go on. */
export const stateFolder = folder;
export const seats = (role, count) => Array.from({ length: count }, (_, index) => `${role}-${index + 1}`);
let firstCallMs;

export async function ask(name, given) {
  firstCallMs ??= performance.now();
  appendFileSync(path.join(folder, 'calls.log'), `begin ${name}\n`);
  // The deadly seat answers last of its row, so that the others' answers had time to be kept.
  await sleep(name === deadly ? 600 : Number(latency));
  if (name === deadly) process.kill(process.pid, 'SIGKILL');
  appendFileSync(path.join(folder, 'calls.log'), `end ${name}\n`);
  return { name, text: `${name} says ${'word '.repeat(200)}`, saw: Object.keys(given ?? {}).length };
}

/** Runs the graph and prints what it took. */
export async function measure(runGraph) {
  const started = performance.now();
  const votes = await runGraph();
  const graphMs = performance.now() - started;
  if (votes !== 3) throw new Error(`expected three votes, counted ${votes}`);
  const peakRss = process.resourceUsage().maxRSS * 1024;
  process.stdout.write(`${JSON.stringify({ firstCallMs, graphMs, peakRss })}\n`, () => process.exit(0));
}
