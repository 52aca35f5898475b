// node test/crash/record.ts <story> <folder> [<count> <seed>]: makes the story's world in the folder, runs it undisturbed, and keeps
// the state before each of its writes, or before so many of them.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { exitCodes } from '../../src/base/error-table.ts';
import { BlockPack } from './block-pack.ts';
import { type Point, packFile, writeRecording, writeState } from './recording.ts';
import { reservoir } from './sample.ts';
import { Camera, digestOf } from './snapshot.ts';
import { makeWorld, stories } from './stories.ts';
import { recordedRuns, seatsOf, tracesOf } from './traces.ts';
import { watchWrites } from './watch-writes.mjs';

const [name = '', folder = '', count, seed] = process.argv.slice(2);
const story = stories.find((candidate) => candidate.name === name);
if (story === undefined) throw new Error(`unknown story ${name}`);
const places = makeWorld(story, folder);
const world = path.join(folder, 'world');
const pack = new BlockPack(packFile(folder), 'write');
const camera = new Camera(world, pack);
const points: Point[] = [];
const placeOfNext = count === undefined ? undefined : reservoir({ count: Number(count), seed: Number(seed) });
const known = new Set<string>();
const asked = new Set<string>();
let writes = 0;
let callsBefore = 0;
let watching = false;
let unpacking = false;

watchWrites((kind, target) => {
  const isOurs = kind === 'start' || target.startsWith(`${world}/`);
  // PostgreSQL rebuilds its cache pg_internal.init when it is incomplete.
  if (!watching || !isOurs || target.includes('/pg_internal.init')) return;
  // The unpacking of the prepared store is hundreds of files in a folder that counts only when it is whole.
  const unpacks = target.includes('/store.new/');
  if (unpacks && unpacking) return;
  unpacking = unpacks;
  writes += 1;
  const place = placeOfNext?.();
  if (placeOfNext !== undefined && place === undefined) return;
  watching = false;
  waitForGit();
  keep(kind, target, place);
  watching = true;
});

const { perform } = await import('./in-process.ts');
const { performAnsweredInManyWays, watchQuestions } = await import('./questions.ts');
watchQuestions((_run, question) => asked.add(question));
for (const [index, words] of (story.before ?? []).entries()) {
  process.env['CHARRETTE_FIXED_ID'] = `0000000${index}`;
  const ended = await perform(words, places);
  if (ended.exit !== 0) throw new Error(`${words.join(' ')}: ${ended.stderr}`);
}
process.env['CHARRETTE_FIXED_ID'] = '0000000a';
const earlier = new Set(recordedRuns(places));
callsBefore = readFileSync(places.calls, 'utf8').length;
const newRun = () => recordedRuns(places).find((candidate) => !earlier.has(candidate));
watching = true;
const ended = await (story.answers === undefined
  ? perform(story.command, places)
  : performAnsweredInManyWays(story, places, newRun));
watching = false;
const run = newRun();
if (run === undefined) throw new Error(`the run did not begin: ${ended.stderr}`);
if (ended.exit === exitCodes.failed) throw new Error(`the run failed: ${ended.stderr}`);
const calls = callsMade().sort();
const traces = tracesOf(places, run);
const foreign = traces.answers.filter((answer) => !answer.includes('"source":"person"'));
if (story.answers !== undefined && foreign.length > 0)
  throw new Error(`not by a person: ${foreign.join(', ')}`);
if (story.answers !== undefined && asked.size === 0) throw new Error('no question was seen');
writeRecording(folder, {
  run,
  exit: ended.exit,
  writes,
  asked: [...asked],
  calls,
  seats: seatsOf(places, run),
  traces,
  points: points.sort((one, two) => one.write - two.write),
});
pack.close();
process.stdout.write(
  `${JSON.stringify({ exit: ended.exit, writes, states: points.length, calls: calls.length, asked: [...asked] })}\n`,
);
process.exit();

/** Of all states one that was kept before is not kept again; a sample has its place for each. */
function keep(kind: string, target: string, place: number | undefined): void {
  const snapshot = camera.take();
  const digest = digestOf(snapshot);
  if (place === undefined && known.has(digest)) return;
  known.add(digest);
  const about = kind === 'start' ? target : path.relative(world, target);
  const state = place ?? points.length;
  points[state] = { write: writes, kind, target: about, called: callsMade().length, state };
  writeState(folder, state, snapshot);
}

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
