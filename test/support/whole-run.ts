import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

type Entry = Record<string, unknown> & { id: string };

/** What is wrong with the record of a run that has ended: doubled or truncated lines, damaged artifacts, repeated calls and questions. */
export function damageOf(project: string, run: string, calls: readonly string[]): string[] {
  const directory = path.join(project, '.charrette', 'runs', run);
  const events = lines(path.join(directory, 'events.jsonl'));
  const problems = [
    ...truncated(events, 'events'),
    ...truncated(lines(path.join(directory, 'ledger.jsonl')), 'ledger'),
  ];
  const journal = events.flatMap((line) => parse(line) ?? []);
  journal.forEach(({ seq, type }, index) => {
    if (seq !== index + 1)
      problems.push(`event ${index + 1} (${String(type)}) has the number ${String(seq)}`);
  });
  for (const { type, elapsedMs } of journal)
    if (typeof elapsedMs === 'number' && elapsedMs < 0) problems.push(`${String(type)} took ${elapsedMs} ms`);
  const times = journal.map(({ time }) => String(time));
  if (times.some((time, index) => index > 0 && time < String(times[index - 1])))
    problems.push('the times of the events go back');
  const asked = journal
    .filter(({ type }) => type === 'question-ask')
    .map(({ questions }) => JSON.stringify(questions));
  problems.push(...repeated(asked).map((question) => `asked again: ${question}`));
  problems.push(...tornArtifacts(path.join(directory, 'artifacts'), journal));
  // The attempt is part of the line, so that a call that was made again for a reason is another line.
  problems.push(
    ...repeated(calls.filter((call) => !call.startsWith('judge '))).map((call) => `called again: ${call}`),
  );
  return problems;
}

/** Every artifact is what its last event says, and nothing half-written lies about. */
function tornArtifacts(folder: string, journal: readonly Entry[]): string[] {
  const digests = new Map<string, string>();
  for (const { type, name, digest } of journal)
    if (type === 'artifact-write') digests.set(String(name), String(digest));
  const damaged = [...digests].flatMap(([name, digest]) => {
    const file = path.join(folder, name);
    if (!existsSync(file)) return [`the artifact ${name} is not there`];
    const found = createHash('sha256').update(readFileSync(file)).digest('hex');
    return found === digest ? [] : [`the artifact ${name} is not what was written`];
  });
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : [];
  const left = names.filter((name) => name.endsWith('.tmp'));
  return [...damaged, ...left.map((name) => `left behind: ${name}`)];
}

function lines(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

function truncated(all: readonly string[], name: string): string[] {
  const ids = all.map((line) => parse(line)?.id);
  return [
    ...ids.flatMap((id, index) =>
      id === undefined ? [`line ${index + 1} of the ${name} is truncated`] : [],
    ),
    ...repeated(ids.filter((id) => id !== undefined)).map((id) => `${id} is twice in the ${name}`),
  ];
}

function parse(line: string): Entry | undefined {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
}

function repeated(list: readonly string[]): string[] {
  return [...new Set(list.filter((entry, index) => list.indexOf(entry) !== index))];
}
