import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AgentTask } from '../../agents/port.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import { type Displaced, displaced, referencesOf } from '../../repo/git/references.ts';

/** Each is a line of its own; of more than that a file tells. */
const mostTold = 10;

/**
 * Watches over what the repository holds while a writer is at work: its git reaches every branch, tag and stash. A person goes on
 * working meanwhile, so nothing is put back; what moved is said, with the command that does it.
 */
export async function watchReferences<Result>(
  { live, phase, project, agent }: { live: LiveRun; phase: string; project: string; agent: string },
  { laneDirectory }: AgentTask,
  call: () => Promise<Result>,
): Promise<Result> {
  const before = await referencesOf(project);
  try {
    return await call();
  } finally {
    const after = before && (await referencesOf(project));
    const found = before && after ? displaced(before, after) : [];
    const lane = path.basename(laneDirectory);
    const say = (id: string, text: string) =>
      live.events.emit(`references:${lane}:${id}`, { type: 'warning', phase, text });
    for (const each of found.slice(0, mostTold))
      say(`${each.name}:${each.was}:${each.is}`, `While ${agent} worked on ${lane}, ${lineOf(each)}`);
    if (found.length > mostTold) {
      const file = path.join(laneDirectory, 'references.txt');
      await writeFile(file, found.map((each) => `${lineOf(each)}\n`).join(''));
      say(`more:${found.length}`, `${found.length - mostTold} more references were moved; ${file} has all.`);
    }
  }
}

function lineOf({ text, command }: Displaced): string {
  return `${text}. If that was not you: ${command}`;
}
