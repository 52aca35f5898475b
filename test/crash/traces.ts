import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Places } from './stories.ts';

/** What a run leaves, without what rightly differs between two runs: times, processes, order between lanes. */
export type Traces = {
  /** Digests of all files of the run's artifacts and of the project itself, by path. */
  files: Record<string, string>;
  /** The commits of the repository's branches. */
  repository: Record<string, string>;
  events: string[];
  ledger: string[];
  /** What was answered to which question, and by whom. */
  answers: string[];
};

export type Answered = { seat: string | undefined; digest: string };

export function tracesOf(places: Places, run: string): Traces {
  const { project } = places;
  const directories = directoriesOf(places, run);
  return {
    files: Object.fromEntries([
      ...directories.flatMap((directory) => [
        ...digests(path.join(directory, 'artifacts'), `${path.basename(directory)}/artifacts`),
      ]),
      ...digests(project, 'project'),
    ]),
    repository: repositoryState(project),
    events: directories.flatMap((directory) => journal(path.join(directory, 'events.jsonl'))),
    ledger: directories.flatMap((directory) => journal(path.join(directory, 'ledger.jsonl'))),
    answers: directories
      .flatMap((directory) => recordedAnswers(directory).map((answer) => JSON.stringify(answer)))
      .sort(),
  };
}

/** The directory of a run and of those that it made: a comparison has two designs. */
function directoriesOf(places: Places, run: string): string[] {
  const made = recordedRuns(places).filter((other) => other.startsWith(`${run}-`));
  return [run, ...made.sort()].map((name) => path.join(places.project, '.charrette', 'runs', name));
}

/** Who sits in each lane, as the events say; runs without such events have lanes that differ by their prompts. */
export function seatsOf(places: Places, run: string): Record<string, string> {
  const lines = directoriesOf(places, run).flatMap((directory) => {
    const events = readFileSync(path.join(directory, 'events.jsonl'), 'utf8').split('\n');
    return events.filter((line) => line.includes('"lane-queue"'));
  });
  const queued = lines.map((line) => JSON.parse(line) as { lane: string; seat: string });
  return Object.fromEntries(queued.map(({ lane, seat }) => [lane, seat]));
}

/** Seat and prompt of each complete answer on disk: those agents must not be called again. */
export function answeredPrompts(
  places: Places,
  run: string | undefined,
  seats: Readonly<Record<string, string>>,
): Answered[] {
  if (run === undefined) return [];
  const folders = directoriesOf(places, run).map((directory) => path.join(directory, 'lanes'));
  return folders.filter(existsSync).flatMap((lanes) =>
    readdirSync(lanes).flatMap((lane) => {
      const file = (name: string) => path.join(lanes, lane, name);
      const complete = existsSync(file('result.json')) || existsSync(file('agent-result.json'));
      const seat = seats[lane] ?? seats[lane.replace(/-\d+(?:-repair)?$/, '')];
      return complete ? [{ seat, digest: sha256(readFileSync(file('prompt.md'))) }] : [];
    }),
  );
}

type Answer = { question: string; value: string; source: string };

/** The answers that a run's own file has. */
export function recordedAnswers(directory: string): Answer[] {
  const file = path.join(directory, 'questions.json');
  if (!existsSync(file)) return [];
  return (JSON.parse(readFileSync(file, 'utf8')) as { answers: Answer[] }).answers;
}

/** Runs of the project that have a record; without one there is nothing to resume. */
export function recordedRuns({ project }: Places): string[] {
  const runs = path.join(project, '.charrette', 'runs');
  if (!existsSync(runs)) return [];
  return readdirSync(runs).filter((run) => existsSync(path.join(runs, run, 'run.json')));
}

function* digests(folder: string, below: string): Generator<[string, string]> {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).sort()) {
    const file = path.join(folder, name);
    if (below === 'project' && (name === '.git' || name === '.charrette')) continue;
    if (lstatSync(file).isDirectory()) yield* digests(file, `${below}/${name}`);
    else yield [`${below}/${name}`, sha256(readFileSync(file))];
  }
}

/** Branches by the commits they name; the tree itself is compared file by file. */
function repositoryState(project: string): Record<string, string> {
  const git = path.join(project, '.git');
  const names = ['HEAD', 'packed-refs'].filter((name) => existsSync(path.join(git, name)));
  const heads = readdirSync(path.join(git, 'refs', 'heads'), { recursive: true, encoding: 'utf8' });
  const files = [...names, ...heads.map((name) => path.join('refs', 'heads', name))];
  const found = files.filter((name) => lstatSync(path.join(git, name)).isFile()).sort();
  return Object.fromEntries(found.map((name) => [name, readFileSync(path.join(git, name), 'utf8')]));
}

function journal(file: string): string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((entry) => entry['type'] !== 'run-resume' && entry['type'] !== 'run-pause')
    .map(({ seq: _seq, time: _time, durationMs: _duration, elapsedMs: _elapsed, pid: _pid, ...entry }) =>
      timeless(JSON.stringify(entry)),
    )
    .sort();
}

/** Where the clock goes on, times and durations inside texts differ too. */
function timeless(text: string): string {
  if (process.env['CHARRETTE_FIXED_TIME'] !== undefined) return text;
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replaceAll(/\b(?:\d+[hms])+\b/g, 'DURATION');
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
