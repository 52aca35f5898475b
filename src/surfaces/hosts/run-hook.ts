import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readTextFile } from '../../base/files/bounded.ts';
import { activeWorkflow, isPhaseOf, seemsBehind } from './active-workflow.ts';
import type { HookDecision, HookEvent, HookHost, HookInput } from './events.ts';
import { stopDecision } from './guards.ts';
import { openRuns, partOf, runLines, whereYouAre } from './open-runs.ts';
import { readSession, writeSession } from './snapshot.ts';
import { readTranscript } from './transcript.ts';

export type HookOptions = {
  host: HookHost;
  now: string;
  /** Part of a long card; hosts take only so much from one hook. */
  part: number;
  /** How long a host gets to write what it has said. */
  settleMs?: number;
};

/** What a hook has to say. It changes nothing but its own session file. */
export async function runHook(
  event: HookEvent,
  input: HookInput,
  options: HookOptions,
): Promise<HookDecision> {
  const project = projectOf(input.cwd);
  if (event === 'pre-compact') return snapshot(project, input, options);
  if (event === 'session-start') {
    return input.source === 'compact' ? card(project, input, options) : greeting(project, options);
  }
  if (event === 'before-agent') {
    const { due } = await readSession(project, input.session);
    return due === true ? card(project, input, options) : { kind: 'nothing' };
  }
  if (input.goingOn) return { kind: 'nothing' };
  const transcript = await settled(
    options,
    () => readTranscript(input.transcript),
    (read) => seemsBehind(read, input.cwd),
  );
  const workflow = await activeWorkflow(transcript, { ...input, now: options.now });
  return stopDecision(input, workflow, transcript.lastWords);
}

const lookMs = 50;

/** What a file says, or what it says after a while if its host seems not to have written its last lines yet. */
async function settled<T>(
  { settleMs = 1000 }: HookOptions,
  read: () => T,
  isBehind: (value: T) => boolean,
): Promise<T> {
  let value = read();
  for (let waited = 0; waited < settleMs && isBehind(value); waited += lookMs) {
    await sleep(lookMs);
    value = read();
  }
  return value;
}

/** P-164: before a compaction everything that the card needs is written down; nothing can be said then. */
async function snapshot(project: string, input: HookInput, { now }: HookOptions): Promise<HookDecision> {
  const workflow = await activeWorkflow(readTranscript(input.transcript), { ...input, now });
  const session = await readSession(project, input.session);
  const { workflow: earlier, ...rest } = session;
  // A workflow that was compacted once may have no trace left in what the host still shows; the older snapshot is kept.
  const kept = workflow ?? earlier;
  if (kept === undefined) return { kind: 'nothing' };
  writeSession(project, input.session, { ...rest, workflow: kept, due: true });
  return { kind: 'nothing' };
}

/** P-164: after a compaction the card comes back, with the current document on disk. */
async function card(project: string, input: HookInput, { part }: HookOptions): Promise<HookDecision> {
  const session = await readSession(project, input.session);
  const runs = await openRuns(project);
  const { workflow } = session;
  if (workflow === undefined) {
    const text = part === 1 ? runLines(runs) : '';
    return text === '' ? { kind: 'nothing' } : { kind: 'context', text };
  }
  const document = isPhaseOf(workflow.package, workflow.file)
    ? await readTextFile(workflow.file).catch(() => undefined)
    : undefined;
  const text = partOf(whereYouAre(workflow, document, runs), workflow.file, part);
  if (part === 1 && session.due === true) writeSession(project, input.session, { ...session, due: false });
  return text === '' ? { kind: 'nothing' } : { kind: 'context', text };
}

async function greeting(project: string, { part }: HookOptions): Promise<HookDecision> {
  const text = part === 1 ? runLines(await openRuns(project)) : '';
  return text === '' ? { kind: 'nothing' } : { kind: 'context', text };
}

/** The nearest folder upward with runs or a repository. */
function projectOf(cwd: string): string {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, '.charrette')) || existsSync(path.join(folder, '.git'))) return folder;
    if (path.dirname(folder) === folder) return cwd;
  }
}
