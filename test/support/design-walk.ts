import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RunEvent } from '../../src/engine/event.ts';
import { readEvents } from '../../src/engine/event-log.ts';
import { artifactsOf, callsIn, charrette, type Ended, makeProject, runsOf } from './program.ts';

/** A whole design of the built program, and all that it left. */
export type Walk = {
  project: string;
  /** The first lane of a task. */
  lane: (task: string) => string;
  ended: Ended;
  events: RunEvent[];
  artifacts: Record<string, string>;
  calls: string[];
  root: string;
};

export type Settings = { agents: Record<string, unknown> } & Record<string, unknown>;

export async function walk(
  flags: string[],
  options: Parameters<typeof makeProject>[0] = {},
  change: (settings: Settings) => Settings = (settings) => settings,
): Promise<Walk> {
  const { project, calls } = await makeProject(options);
  const file = path.join(project, '.charrette', 'config.json');
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')) as Settings)));
  const ended = await charrette(['design', '--auto', '--yes', '--no-branch', ...flags, 'add rate limiting'], {
    cwd: project,
  });
  const [run = ''] = runsOf(project);
  const root = path.join(project, '.charrette', 'runs', run);
  const events = readEvents(path.join(root, 'events.jsonl'));
  return {
    project,
    lane: (task) =>
      events.flatMap((event) =>
        event.type === 'lane-queue' && event.task === task ? [event.lane] : [],
      )[0] ?? '',
    ended,
    events,
    artifacts: artifactsOf(project, run),
    calls: callsIn(calls),
    root,
  };
}
