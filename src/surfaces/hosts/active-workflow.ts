import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { isInside, readTextFile } from '../../base/files/bounded.ts';
import { isRecord } from '../../base/safe-json.ts';
import {
  snapshotPhase,
  type TodoEntry,
  type TodoList,
  type TodoStatus,
} from '../../skills/compaction/compaction.ts';
import type { Transcript } from './transcript.ts';

/** A workflow skill that a host runs itself: its todo list and the document of the active phase. */
export type ActiveWorkflow = {
  list: TodoList;
  package: string;
  /** Absolute path of the phase document. */
  file: string;
  answers: readonly string[];
};

const largestPhase = 256 * 1024;

/** What a conversation says about the workflow it is in; undefined when it is in none. */
export async function activeWorkflow(
  transcript: Transcript,
  { session, cwd, now }: { session: string; cwd: string; now: string },
): Promise<ActiveWorkflow | undefined> {
  const read = lastPhaseRead(transcript, cwd);
  if (read === undefined) return undefined;
  const items = todoItems(transcript);
  const active = items.find(({ kind, status }) => kind === 'phase' && status === 'in_progress');
  const phases = items.filter(({ kind }) => kind === 'phase');
  // A list without an active phase is that of a workflow that has ended.
  if (phases.length > 0 && active === undefined) return undefined;
  const file = phaseFile(read.package, active?.content) ?? read.file;
  if (!isPhaseOf(read.package, file)) return undefined;
  const text = await readTextFile(file, largestPhase).catch(() => undefined);
  if (text === undefined) return undefined;
  const inside = path.relative(read.package, file);
  const { sha256, steps } = snapshotPhase(inside, text);
  return {
    package: read.package,
    file,
    answers: transcript.answers.slice(-8).map((answer) => answer.slice(0, 600)),
    list: {
      version: 1,
      sessionId: session,
      skill: path.basename(read.package),
      rev: 0,
      updatedAt: now,
      active: { phase: inside, file: inside, sha256, steps, cursor: currentStep(transcript, steps) },
      items,
    },
  };
}

/** Whether phases wait and none is active, as when the host has not written the last lines of the conversation yet. */
export function seemsBehind(transcript: Transcript, cwd: string): boolean {
  if (lastPhaseRead(transcript, cwd) === undefined) return false;
  const phases = todoItems(transcript).filter(({ kind }) => kind === 'phase');
  const isActive = phases.some(({ status }) => status === 'in_progress');
  return !isActive && (phases.length === 0 || phases.some(({ status }) => status === 'pending'));
}

/** The phase document that was read last, of a package that is one. */
function lastPhaseRead({ tools }: Transcript, cwd: string): { package: string; file: string } | undefined {
  for (const { input } of [...tools].reverse()) {
    const given = input['file_path'] ?? input['absolute_path'] ?? input['path'] ?? input['target_file'];
    const named = typeof given === 'string' ? given : phaseInCommand(input['command'] ?? input['cmd']);
    if (named === undefined || !/(?:^|\/)phases\/[^/]+\.md$/.test(named)) continue;
    const file = path.resolve(cwd, named);
    const directory = path.dirname(path.dirname(file));
    if (existsSync(path.join(directory, 'SKILL.md')) && isFile(file)) return { package: directory, file };
  }
  return undefined;
}

/** Agents without a reading tool print files by a shell. */
function phaseInCommand(command: unknown): string | undefined {
  const text = Array.isArray(command)
    ? command.map(String).join(' ')
    : typeof command === 'string'
      ? command
      : '';
  return /(?:^|[\s'"=])([^\s'"=]*phases\/[\w.-]+\.md)/.exec(text)?.[1];
}

/** Whether a file is a phase document of a package, and really there: what a link brings from elsewhere is not shown to a host. */
export function isPhaseOf(directory: string, file: string): boolean {
  try {
    const [real, home] = [realpathSync(file), realpathSync(directory)];
    return (
      path.dirname(path.relative(directory, file)) === 'phases' &&
      isInside(home, real) &&
      isFile(path.join(directory, 'SKILL.md'))
    );
  } catch {
    return false;
  }
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/** `Phase 2: …` in progress is the document with that number, whichever was read last. */
function phaseFile(directory: string, content: string | undefined): string | undefined {
  const number = /\bphase\s+(\d+(?:\.\d+)?)/i.exec(content ?? '')?.[1];
  if (number === undefined) return undefined;
  const wanted = Number(number);
  const folder = path.join(directory, 'phases');
  const found = readdirSync(folder).find(
    (name) => Number(/^(\d+(?:\.\d+)?)[-_].*\.md$/.exec(name)?.[1]) === wanted,
  );
  return found === undefined ? undefined : path.join(folder, found);
}

const statuses: readonly TodoStatus[] = ['pending', 'in_progress', 'completed', 'failed', 'skipped'];

/** The current todo list: the last list that was written whole, or tasks created and updated one by one. */
function todoItems({ tools }: Transcript): TodoEntry[] {
  const tasks = new Map<string, { content: string; status: string }>();
  let list: { content: string; status: string }[] = [];
  for (const { name, input } of tools) {
    const whole = input['todos'] ?? input['plan'];
    if (/todo|update_plan/i.test(name) && Array.isArray(whole)) {
      list = whole.filter(isRecord).map((item) => ({
        content: String(item['content'] ?? item['description'] ?? item['step'] ?? ''),
        status: String(item['status'] ?? 'pending'),
      }));
    } else if (name === 'TaskCreate') {
      const content = String(input['subject'] ?? input['description'] ?? '');
      tasks.set(String(tasks.size + 1), { content, status: 'pending' });
    } else if (name === 'TaskUpdate') {
      const task = tasks.get(String(input['taskId'] ?? ''));
      if (task !== undefined && typeof input['status'] === 'string') task.status = input['status'];
    }
  }
  let owner: string | undefined;
  return (list.length > 0 ? list : [...tasks.values()]).map(({ content, status }, index): TodoEntry => {
    const isPhase = /^[^\p{L}\p{N}→]*phase\s+\d/iu.test(content);
    const id = `item-${index + 1}`;
    if (isPhase) owner = id;
    return {
      id,
      kind: isPhase ? 'phase' : 'sub',
      ...(isPhase || owner === undefined ? {} : { parent: owner }),
      content: content.trim().slice(0, 200),
      activeForm: '',
      status: statuses.find((known) => known === status) ?? 'pending',
      attempts: 0,
    };
  });
}

/** The step that the agent spoke of last, when the document has it. */
function currentStep({ lastWords }: Transcript, steps: readonly string[]): string | undefined {
  const named = [...lastWords.matchAll(/\bstep\s+(\d+(?:\.\w+)*)/gi)].map((match) => match[1] ?? '');
  return named.findLast((id) => steps.includes(id));
}
