import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readEvents } from '../../src/engine/event-log.ts';
import { readLedger } from '../../src/engine/ledger.ts';
import { type Home, runDirectoryOf } from '../../src/engine/run-directory.ts';
import type { LoggedRequest } from '../../test/model-server/server.ts';

/** Prompts of a run have this; health checks of agents do not. */
export const callMark = /^## Answer$/m;

/** A call as the model server saw it: which agent was asked what, and when. */
export type ServedCall = { agent: string; digest: string; time: number };

/** The call that a request to the model server is, if it is one. */
export function servedCall({ run, time, turns, wire }: LoggedRequest): ServedCall[] {
  const prompt = turns.findLast(({ role, text }) => role === 'user' && callMark.test(text));
  return wire === undefined || prompt === undefined
    ? []
    : [{ agent: run, digest: digestOf(prompt.text), time }];
}

type Lane = { run: string; lane: string; task: string; seat: string };

/** Says of every prompt that an agent got more often than lanes of the runs ask it: which lane, when, and what its run says. */
export function repeatedCalls(home: Home, runs: readonly string[], served: readonly ServedCall[]): string[] {
  const asked = new Map<string, Lane[]>();
  for (const run of runs) {
    const { ledger, lanes } = runDirectoryOf(home, run);
    for (const { id, task, seat, agent } of readLedger(ledger)) {
      const prompt = path.join(lanes, id, 'prompt.md');
      if (!existsSync(prompt)) continue;
      const key = `${agent} ${digestOf(readFileSync(prompt, 'utf8'))}`;
      asked.set(key, [...(asked.get(key) ?? []), { run, lane: id, task, seat }]);
    }
  }
  const times = new Map<string, number[]>();
  for (const { agent, digest, time } of served) {
    const key = `${agent} ${digest}`;
    times.set(key, [...(times.get(key) ?? []), time]);
  }
  return [...times].flatMap(([key, at]) => {
    const lanes = asked.get(key) ?? [];
    if (at.length <= lanes.length) return [];
    const clock = at.map(clockOf).join(', ');
    const [first] = lanes;
    if (first === undefined) return [`asked for no recorded lane: ${key} at ${clock}`];
    const names = lanes.map(({ run, lane, task, seat }) => `${run} ${lane} (${task}, ${seat})`).join(' and ');
    return [`${at.length} times: ${names} at ${clock}; its run says: ${storyOf(home, first)}`];
  });
}

/** What the events of a run say about a lane, and about the run changing hands. */
function storyOf(home: Home, { run, lane }: Lane): string {
  const base = lane.replace(/-\d+(?:-repair)?$/, '');
  const events = readEvents(runDirectoryOf(home, run).events);
  const told = events.filter(
    (event) => event.type === 'run-resume' || ('lane' in event && event.lane === base),
  );
  return told.map(({ type, time }) => `${type} ${time.slice(11, 23)}`).join(', ');
}

function clockOf(time: number): string {
  return new Date(time).toISOString().slice(11, 23);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
