// node test/crash/resume.ts <story> <folder>: a process that restores states of a recording and resumes from them. It receives
// numbers of points and sends back what came of each.
import fs, { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { isFinal, type RunStatus } from '../../src/engine/run-record.ts';
import { BlockPack } from './block-pack.ts';
import { answeredQuestions, performAnswered, watchQuestions } from './questions.ts';
import { packFile, readRecording, readState } from './recording.ts';
import { restore } from './snapshot.ts';
import { placesIn, type Story, stories } from './stories.ts';
import { type Answered, answeredPrompts, recordedRuns, type Traces, tracesOf } from './traces.ts';

/** What is wrong after the resume of one point; nothing: it holds. */
export type PointOutcome = { point: number; problems: string[]; repeated: number; milliseconds: number };

// A kill leaves what was written to the page cache, so waiting for the disk would prove nothing here.
fs.fsyncSync = () => {};
fs.fdatasyncSync = () => {};
syncBuiltinESMExports();

const [name = '', folder = ''] = process.argv.slice(2);
const story = stories.find((candidate) => candidate.name === name);
if (story === undefined) throw new Error(`unknown story ${name}`);
const recording = readRecording(folder);
const places = placesIn(folder);
const pack = new BlockPack(packFile(folder), 'read');
const made = new Map<string, string>();
/** Questions that were asked, and which of them had been answered. */
const asked = new Set<string>();
const askedAgain = new Set<string>();
watchQuestions((run, question) => {
  asked.add(question);
  if (answeredQuestions(places, run).has(question)) askedAgain.add(question);
});
process.env['CHARRETTE_FIXED_ID'] = '0000000a';

process.on('message', (point: number) => {
  void goOn(point).then((outcome) => process.send?.(outcome));
});
process.on('disconnect', () => process.exit());

async function goOn(point: number): Promise<PointOutcome> {
  const started = performance.now();
  const { called = 0, state = point } = recording.points[point] ?? {};
  const snapshot = readState(folder, state);
  restore(path.join(folder, 'world'), snapshot, pack, made);
  writeFileSync(places.calls, '');
  const begun = recordedRuns(places).includes(recording.run);
  const answered = answeredPrompts(places, begun ? recording.run : undefined, recording.seats);
  const unfinished = path.join(places.project, '.charrette', 'runs', recording.run);
  // A kill before the record was there leaves an empty folder; another id is what the next command would have drawn.
  const isLeft = snapshot[path.relative(path.join(folder, 'world'), unfinished)] !== undefined;
  const fresh = !begun && (isLeft || story?.clock === 'real');
  process.env['CHARRETTE_FIXED_ID'] = fresh ? '0000000b' : '0000000a';
  const given = answeredQuestions(places, recording.run);
  const isMarked = Object.keys(snapshot).some((name) => /charrette\/accounts\/\w+\.json$/.test(name));
  const earlier = recordedRuns(places);
  asked.clear();
  askedAgain.clear();
  const words = nextWords(begun);
  const newRun = () => recordedRuns(places).find((run) => run === recording.run || !earlier.includes(run));
  const ended = await performAnswered(words, story as Story, places, newRun);
  const problems = [...askedAgain].map((question) => `asked though answered: ${question}`);
  if (ended.exit !== (words[0] === 'show' ? 0 : recording.exit))
    problems.push(`exit ${ended.exit}: ${ended.stderr.slice(-600)}`);
  const calls = readFileSync(places.calls, 'utf8').split('\n').filter(Boolean).sort();
  if (!fresh)
    problems.push(
      ...wrongCalls(calls, answered, isMarked),
      ...(words[0] === 'show' ? [] : notAsked(given)),
      ...differences(tracesOf(places, recording.run)),
    );
  const milliseconds = performance.now() - started;
  return { point, problems, repeated: called - answered.length, milliseconds };
}

/** The command after the kill. Where a person answers, nothing else does. */
function nextWords(begun: boolean): readonly string[] {
  if (!begun) return story?.command ?? [];
  if (hasEnded()) return ['show', recording.run];
  return ['resume', recording.run, ...(story?.answers === undefined ? ['--yes'] : [])];
}

/** After the kill, the first unanswered question is asked. */
function notAsked(given: ReadonlySet<string>): string[] {
  const [first] = recording.asked.filter((question) => !given.has(question));
  return first === undefined || asked.has(first) ? [] : [`neither answered nor asked: ${first}`];
}

/** A killed run has the status running or asking; one whose end is saved needs nothing more. */
function hasEnded(): boolean {
  const record = path.join(places.project, '.charrette', 'runs', recording.run, 'run.json');
  if (!existsSync(record)) return false;
  return isFinal((JSON.parse(readFileSync(record, 'utf8')) as { status: RunStatus }).status);
}

/**
 * Exactly the calls of the undisturbed run that had no complete answer are made, each once. One on an account that is known to be used
 * up need not be made to learn it again.
 */
function wrongCalls(calls: readonly string[], answered: readonly Answered[], isMarked: boolean): string[] {
  const open = [...answered];
  const expected = recording.calls.filter((call) => {
    const [, seat, , digest] = call.split(' ');
    const at = open.findIndex(
      (answer) => answer.digest === digest && (answer.seat === undefined || answer.seat === seat),
    );
    if (at >= 0) open.splice(at, 1);
    return at < 0;
  });
  const extra = without(calls, expected).map((call) => `called though answered or unknown: ${call}`);
  const missing = without(expected, calls)
    .filter((call) => !isMarked || !wasRefused(call))
    .map((call) => `not called: ${call}`);
  return [...extra, ...missing, ...open.map(({ digest }) => `an answer to no known prompt: ${digest}`)];
}

/** It was made again with the same prompt. */
function wasRefused(call: string): boolean {
  const [, seat, , digest] = call.split(' ');
  return (
    recording.calls.filter((each) => each.includes(` ${seat} `) && each.endsWith(` ${digest}`)).length > 1
  );
}

function differences(traces: Traces): string[] {
  const { files, repository, events, ledger, answers } = recording.traces;
  const names = new Set([...Object.keys(files), ...Object.keys(traces.files)]);
  return [
    ...[...names].filter((file) => files[file] !== traces.files[file]).map((file) => `differs: ${file}`),
    ...(JSON.stringify(repository) === JSON.stringify(traces.repository)
      ? []
      : [`the repository differs: ${JSON.stringify(traces.repository)}`]),
    ...without(events, traces.events).map((event) => `event is missing: ${event.slice(0, 200)}`),
    ...without(traces.events, events).map((event) => `event is new: ${event.slice(0, 200)}`),
    ...without(ledger, traces.ledger).map((entry) => `ledger entry is missing: ${entry.slice(0, 200)}`),
    ...without(traces.ledger, ledger).map((entry) => `ledger entry is new: ${entry.slice(0, 200)}`),
    ...without(answers, traces.answers).map((answer) => `answer is missing: ${answer.slice(0, 200)}`),
    ...without(traces.answers, answers).map((answer) => `answer is new: ${answer.slice(0, 200)}`),
  ];
}

function without(list: readonly string[], taken: readonly string[]): string[] {
  const left = [...taken];
  return list.filter((entry) => {
    const at = left.indexOf(entry);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
