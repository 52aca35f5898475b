// node test/crash/record.ts <story> <folder>: makes the story's world in the folder, runs it undisturbed, and keeps the state
// before each of its writes.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { BlockPack } from './block-pack.ts';
import { type Point, packFile, writeRecording } from './recording.ts';
import { Camera } from './snapshot.ts';
import { makeWorld, stories } from './stories.ts';
import { recordedRuns, seatsOf, tracesOf } from './traces.ts';
import { watchWrites } from './watch-writes.mjs';

const [name = '', folder = ''] = process.argv.slice(2);
const story = stories.find((candidate) => candidate.name === name);
if (story === undefined) throw new Error(`there is no story ${name}`);
const places = makeWorld(story, folder);
const world = path.join(folder, 'world');
const pack = new BlockPack(packFile(folder), 'write');
const camera = new Camera(world, pack);
const points: Point[] = [];
let callsBefore = 0;
let watching = false;
let unpacking = false;

watchWrites((_kind, target) => {
  // What PostgreSQL keeps in pg_internal.init is a cache that it makes anew when it is not whole.
  if (!watching || !target.startsWith(`${world}/`) || target.includes('/pg_internal.init')) return;
  // The unpacking of the prepared store is hundreds of files in a folder that counts only when it is whole.
  const unpacks = target.includes('/store.new/');
  if (unpacks && unpacking) return;
  unpacking = unpacks;
  watching = false;
  waitForGit();
  points.push({ target: path.relative(world, target), called: callsMade().length, snapshot: camera.take() });
  watching = true;
});

const { perform } = await import('./in-process.ts');
for (const [index, words] of (story.before ?? []).entries()) {
  process.env['CHARRETTE_FIXED_ID'] = `0000000${index}`;
  const ended = await perform(words, places);
  if (ended.exit !== 0) throw new Error(`${words.join(' ')}: ${ended.stderr}`);
}
process.env['CHARRETTE_FIXED_ID'] = '0000000a';
const earlier = new Set(recordedRuns(places));
callsBefore = readFileSync(places.calls, 'utf8').length;
watching = true;
const ended = await perform(story.command, places);
watching = false;
const run = recordedRuns(places).find((candidate) => !earlier.has(candidate));
if (run === undefined) throw new Error(`the run did not begin: ${ended.stderr}`);
const calls = callsMade().sort();
writeRecording(folder, {
  run,
  exit: ended.exit,
  calls,
  seats: seatsOf(places, run),
  traces: tracesOf(places, run),
  points,
});
pack.close();
process.stdout.write(`${JSON.stringify({ exit: ended.exit, points: points.length, calls: calls.length })}\n`);
process.exit();

function callsMade(): string[] {
  return readFileSync(places.calls, 'utf8').slice(callsBefore).split('\n').filter(Boolean);
}

/** A kill -9 does not reach git processes that we started: they come to their end, and the state is the one after it. */
function waitForGit(): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; tries < 2000 && gitIsRunning(); tries += 1) Atomics.wait(pause, 0, 0, 2);
}

function gitIsRunning(): boolean {
  return readdirSync('/proc/self/task').some((thread) => {
    const children = readQuietly(`/proc/self/task/${thread}/children`).split(' ').filter(Boolean);
    return children.some((pid) => /^\d+ \(git[^)]*\) [^Z]/.test(readQuietly(`/proc/${pid}/stat`)));
  });
}

function readQuietly(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
