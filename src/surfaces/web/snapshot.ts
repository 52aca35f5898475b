import { statSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '../../base/safe-json.ts';
import { openQuestions } from '../../engine/answers.ts';
import { readEvents } from '../../engine/event-log.ts';
import { costOf, type Price, readLedger } from '../../engine/ledger.ts';
import { type Answer, type Question, readQuestions } from '../../engine/question.ts';
import { type Home, type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';
import { isFinal, readRunRecord, type SeatLoss } from '../../engine/run-record.ts';
import { listArtifacts } from '../../service/artifacts.ts';
import { emptyView, foldEvents } from '../../service/run-view.ts';
import { listRunsAndWaiting, type RunSummary, shownStatus } from '../../service/runs.ts';
import { type DocumentView, documentViews } from './view/documents.ts';
import { readRunFiles } from './view/run-files.ts';
import { type RunView, runViewOf } from './view/run-view.ts';

/** One agent call as the cost plots need it. */
export type CostPoint = {
  time: string;
  phase: string;
  seat: string;
  agent: string;
  basis: 'measured' | 'estimated' | 'unknown';
  inputTokens: number;
  outputTokens: number;
  usd?: number;
  usdBasis: 'measured' | 'estimated' | 'unknown';
  durationMs: number;
};

/** A run as the page gets it, in addition to its events. */
export type Snapshot = {
  run: string;
  workflow: string;
  title: string;
  status: RunSummary['status'];
  created: string;
  ended?: string;
  exit?: number;
  baseCommit?: string;
  error?: { code: string; message: string; fix?: string };
  /** Seats that were not filled as announced. */
  degraded?: SeatLoss[];
  settings: { name: string; value: string }[];
  questions: Question[];
  answers: Answer[];
  artifacts: { name: string; bytes: number }[];
  costs: CostPoint[];
  view: RunView;
  /** What workflows other than a design have to show. */
  documents: DocumentView[];
};

/** A run in the list: what it asks you, or which agents work on which step. */
export type ListedRun = RunSummary & {
  questions: Question[];
  step?: { phase: string; title: string };
  agents?: string[];
};

/** The newest runs, older ones that wait for an answer, and how many there are. */
export type ListedRuns = { project: string; runs: ListedRun[]; total: number };

export async function listedRuns(home: Home, limit: number): Promise<ListedRuns> {
  const { runs, total } = await listRunsAndWaiting(home, limit);
  const listed = runs.map((run) => ({ ...run, ...activityOf(runDirectoryOf(home, run.run), run.status) }));
  return { project: path.basename(home.project), runs: listed, total };
}

/** A longer log is not read for one line of a list. */
const maxListedLog = 4 * 1024 * 1024;

type Activity = Pick<ListedRun, 'questions' | 'step' | 'agents'>;

/** One run whose files cannot be read must not end the list. */
function activityOf(directory: RunDirectory, status: RunSummary['status']): Activity {
  try {
    return readActivity(directory, status);
  } catch {
    return { questions: [] };
  }
}

function readActivity(directory: RunDirectory, status: RunSummary['status']): Activity {
  const questions = status === 'running' || status === 'paused' ? openQuestions(directory) : [];
  const { size = 0 } = statSync(directory.events, { throwIfNoEntry: false }) ?? {};
  if (status !== 'running' || size > maxListedLog) return { questions };
  const { phases, lanes } = foldEvents(emptyView, readEvents(directory.events));
  const step = phases.findLast(({ state }) => state === 'running');
  const working = [...lanes.values()].flatMap(({ state, agent }) =>
    state === 'running' ? (agent ?? []) : [],
  );
  return {
    questions,
    ...(step !== undefined && { step: { phase: step.phase, title: step.title } }),
    agents: [...new Set(working)],
  };
}

/** What of the inputs is worth showing; the rest holds command lines and paths of the machine. */
const shownInputs: readonly (readonly [key: string, name: string])[] = [
  ['panel', 'Panel'],
  ['dialectic', 'Dialectic'],
  ['sketches', 'Sketches'],
  ['auto', 'Auto'],
  ['quick', 'Quick'],
];

export async function snapshotOf(
  directory: RunDirectory,
  prices?: Readonly<Record<string, Price>>,
): Promise<Snapshot> {
  const record = await readRunRecord(directory);
  const events = readEvents(directory.events);
  const files = await readRunFiles(directory, events);
  const asked = readQuestions(directory);
  const { run, workflow, title, created, ended, exit, baseCommit, error, degraded } = record;
  const inputs = isRecord(record.inputs) ? record.inputs : {};
  return {
    run,
    workflow,
    title,
    status: shownStatus(record, directory),
    created,
    ...(ended !== undefined && { ended }),
    ...(exit !== undefined && { exit }),
    ...(baseCommit !== undefined && { baseCommit }),
    ...(error !== undefined && { error }),
    ...(degraded !== undefined && { degraded }),
    settings: shownInputs.flatMap(([key, name]) => {
      const value = inputs[key];
      return typeof value === 'string' || typeof value === 'number' || value === true
        ? [{ name, value: value === true ? 'yes' : String(value) }]
        : [];
    }),
    questions: isFinal(record.status) ? [] : openQuestions(directory),
    answers: asked.answers,
    artifacts: (await listArtifacts(directory)).map(({ name, bytes }) => ({ name, bytes })),
    costs: readLedger(directory.ledger).map((entry) => {
      const cost = costOf(entry.usage, entry.model, prices);
      return {
        time: entry.time,
        phase: entry.phase,
        seat: entry.seat,
        agent: entry.agent,
        basis: entry.usage.basis,
        inputTokens: entry.usage.inputTokens,
        outputTokens: entry.usage.outputTokens,
        ...(cost.basis !== 'unknown' && { usd: cost.usd }),
        usdBasis: cost.basis,
        durationMs: entry.durationMs,
      };
    }),
    view: runViewOf(files),
    documents: await documentViews(directory, record),
  };
}
