import path from 'node:path';
import { readTextFile } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { isLive } from '../../engine/lock.ts';
import { newestRuns } from '../../engine/newest-runs.ts';
import { readQuestions, unanswered } from '../../engine/question.ts';
import { homeOf, type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecordSync } from '../../engine/run-record.ts';
import { recoveryText } from '../../skills/compaction/compaction.ts';
import type { ActiveWorkflow } from './active-workflow.ts';

/** A run of the program that has not ended. */
type OpenRun = {
  run: string;
  workflow: string;
  title: string;
  state: 'running' | 'paused' | 'interrupted';
  /** Questions that wait for an answer. */
  questions: readonly string[];
  /** The phase in progress, when the run is that of a skill. */
  phase: string | undefined;
};

/** What a host puts into a context at once; more is moved to a file and only previewed (10,000 in Claude Code). */
export const partLimit = 9_000;
export const parts = 3;

/** The open runs of the project in a few lines; '' without any. */
export function runLines(runs: readonly OpenRun[]): string {
  if (runs.length === 0) return '';
  const lines = runs.map(({ run, workflow, title, state, questions, phase }) => {
    const what = `- ${workflow} "${oneLine(title)}": run ${run} is ${state}${phase === undefined ? '' : `, ${phase}`}`;
    if (questions.length > 0)
      return `${what}; it waits for ${questions.length === 1 ? 'an answer' : `${questions.length} answers`} (\`charrette answer ${run}\`): ${questions.map(oneLine).join(' | ')}`;
    return state === 'running'
      ? `${what} (\`charrette watch ${run}\`)`
      : `${what} (\`charrette resume ${run}\`)`;
  });
  return ['Charrette runs of this project that are not over:', ...lines].join('\n');
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 160);

/** The where-you-are card after a compaction: finished and open tasks, decisions, and the phase document in full. */
export function whereYouAre(
  { list, file, answers }: ActiveWorkflow,
  document: string | undefined,
  runs: readonly OpenRun[],
): string {
  const decided =
    answers.length === 0
      ? []
      : ['Decisions of the user so far:', ...answers.map((text) => `- ${oneLine(text)}`), ''];
  const text =
    document === undefined
      ? `The context was compacted while ${list.skill} was running. Its phase document ${file} is gone; ask the user before you continue.\n`
      : recoveryText(list, { path: file, text: document }).text;
  const open = runLines(runs);
  return ['# Where you are', '', ...decided, text, ...(open === '' ? [] : ['', open, ''])].join('\n');
}

/**
 * One part of a text that is too long for a host, cut at line ends. What does not fit into all parts is replaced by where
 * to read it.
 */
export function partOf(text: string, file: string, number: number): string {
  const pieces = split(text);
  const piece = pieces[number - 1];
  if (piece === undefined || number > parts) return '';
  const heading =
    pieces.length === 1 ? '' : `(where you are, part ${number} of ${Math.min(pieces.length, parts)})\n`;
  const rest =
    number === parts && pieces.length > parts
      ? `\nThe document continues. Read ${file} now, before the next step.\n`
      : '';
  return `${heading}${piece}${rest}`;
}

function split(text: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const line of text.split(/(?<=\n)/)) {
    if (piece !== '' && piece.length + line.length > partLimit) {
      pieces.push(piece);
      piece = '';
    }
    piece += line.length > partLimit ? `${line.slice(0, partLimit - 200)} … (line cut)\n` : line;
  }
  return [...pieces, piece];
}

const mostRuns = 3;

/** The newest runs of a project that are not over; those that cannot be read are left out. */
export async function openRuns(project: string): Promise<OpenRun[]> {
  const home = homeOf(project);
  const found: OpenRun[] = [];
  for (const id of (await newestRuns(home, 20)).ids) {
    if (found.length >= mostRuns) break;
    const directory = runDirectoryOf(home, id);
    const record = recordOf(directory);
    if (record === undefined || isFinal(record.status)) continue;
    const waiting = record.status === 'paused' ? unanswered(readQuestions(directory)) : [];
    found.push({
      run: id,
      workflow: record.workflow,
      title: record.title,
      state: record.status === 'paused' ? 'paused' : isLive(record, directory) ? 'running' : 'interrupted',
      questions: waiting.map(({ text }) => text),
      phase: await activePhase(path.join(directory.artifacts, 'todo.json')),
    });
  }
  return found;
}

function recordOf(directory: RunDirectory): RunRecord | undefined {
  try {
    return readRunRecordSync(directory);
  } catch {
    return undefined;
  }
}

async function activePhase(file: string): Promise<string | undefined> {
  const text = await readTextFile(file).catch(() => undefined);
  const reading = text === undefined ? undefined : readJson(text);
  const items = reading?.ok === true && isRecord(reading.value) ? reading.value['items'] : undefined;
  const active = Array.isArray(items)
    ? items.find((item) => isRecord(item) && item['kind'] === 'phase' && item['status'] === 'in_progress')
    : undefined;
  return isRecord(active) ? String(active['content']) : undefined;
}
