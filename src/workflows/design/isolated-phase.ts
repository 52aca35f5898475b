import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CharretteError } from '../../base/errors.ts';
import { writeFileAtomicSync, writeJsonAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { parseJson } from '../../base/safe-json.ts';
import { noPrefix, type StepPrefix, stepName } from '../../council/breadcrumbs.ts';
import { addLoss } from '../../council/health.ts';
import { printedAccepted } from '../../council/outcome-files.ts';
import type { EventBody, RunEvent } from '../../engine/event.ts';
import { leaveMessage } from '../../engine/inbox.ts';
import { readLedger } from '../../engine/ledger.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import { readQuestions, unanswered } from '../../engine/question.ts';
import { type RunDirectory, workerDirectory, workerHome, workerState } from '../../engine/run-directory.ts';
import type { Degraded } from '../../engine/run-record.ts';
import { diagramBody } from '../../plan/diagram.ts';
import type { Commission } from '../../prompts/panel/common.ts';
import { forwardEvents } from '../forward-events.ts';
import type { Deliberation, DesignInputs, Desk, SeatedTable } from './desk.ts';

/** L-256, L-257, C-08: what the isolated phase must leave behind. */
export const requiredArtifacts = {
  notEmpty: ['plan.txt', 'approach-synthesis.txt', 'voting-tally.md'],
  exists: [
    'contested-decisions.md',
    'oos.md',
    'rejected-findings.md',
    'accepted-plan-findings.md',
    'dialectic-resolutions.md',
  ],
} as const;

/** Size of each file in bytes; a file that is not there has no entry. */
export type ArtifactSizes = Readonly<Record<string, number>>;

export type WorkerStatus = { status: 'complete' } | { status: 'failed'; reason: string };

export const yieldedWithoutArtifacts = 'worker-yielded-without-artifacts';

/** L-253, L-254: the first line of a worker's answer that is a status; anything else does not count. */
export function parseWorkerStatus(text: string): WorkerStatus | undefined {
  const first = text.trimStart().split('\n')[0]?.trim() ?? '';
  if (first === 'DESIGN_HEAVY=complete') return { status: 'complete' };
  const reason = /^DESIGN_HEAVY=failed REASON=([A-Za-z0-9._-]{1,80})$/.exec(first)?.[1];
  return reason === undefined ? undefined : { status: 'failed', reason };
}

export function renderWorkerStatus(result: WorkerStatus): string {
  return result.status === 'complete'
    ? 'DESIGN_HEAVY=complete'
    : `DESIGN_HEAVY=failed REASON=${result.reason}`;
}

/** L-255, F-02, F-03: words alone never count; without status or artifacts the phase failed. */
export function workerGate(text: string, sizes: ArtifactSizes): WorkerStatus {
  const claimed = parseWorkerStatus(text);
  if (claimed?.status === 'failed') return claimed;
  if (!claimed || missingArtifacts(sizes).length > 0)
    return { status: 'failed', reason: yieldedWithoutArtifacts };
  return claimed;
}

/** The artifacts that are missing, or empty where they must not be. */
export function missingArtifacts(sizes: ArtifactSizes): string[] {
  return [
    ...requiredArtifacts.notEmpty.filter((name) => !((sizes[name] ?? 0) > 0)),
    ...requiredArtifacts.exists.filter((name) => sizes[name] === undefined),
  ];
}

/** L-263, L-264, L-031 */
export function workerFailureWarning(
  reason: string,
  nested: boolean,
  directory: string,
  prefix: StepPrefix = noPrefix,
): string {
  const rest = nested
    ? 'No design manifest will be exported. Parent /implement will see MANIFEST_FAILED at Step 1 and re-invoke /design.'
    : `Preserving ${directory} for inspection.`;
  return `**⚠ ${stepName('2a', prefix)} — heavy worker subagent failed: ${reason}. ${rest}**`;
}

/** The worker's events that this run repeats. Bodies come from its files, questions are asked by this run. */
const relayed: readonly RunEvent['type'][] = [
  'phase-start',
  'phase-end',
  'phase-skip',
  'warning',
  'note',
  'lane-queue',
  'lane-start',
  'lane-retry',
  'lane-end',
  'artifact-write',
];

/** Events, calls and files of the worker become those of this run while it works; ids are those of the worker. */
export async function relayWorker<Result>(
  live: LiveRun,
  worker: RunDirectory,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await forwardEvents(
      live,
      [{ directory: worker, tell: (event) => tellHere(live, worker, event) }],
      work,
    );
  } finally {
    takeCalls(live, worker);
  }
}

function tellHere(live: LiveRun, worker: RunDirectory, event: RunEvent): void {
  if (!relayed.includes(event.type)) return;
  // This run has emitted it before it started the worker.
  if (event.type === 'phase-start' && event.phase === '2a') return;
  const { v, id: own, run, seq, time, ...body } = event;
  const id = `heavy ${own}`;
  if (event.type === 'artifact-write' && live.events.find(id) === undefined) show(live, worker, event.name);
  live.events.emit(id, body as EventBody);
  if (event.type === 'lane-end') takeCalls(live, worker);
}

function takeCalls(live: LiveRun, worker: RunDirectory): void {
  for (const entry of readLedger(worker.ledger)) live.ledger.add(entry);
}

/** Copies what the worker has written so far, so that you can read it before the worker ends. */
function show(live: LiveRun, worker: RunDirectory, name: string): void {
  const file = path.join(worker.artifacts, path.basename(name));
  if (existsSync(file))
    writeFileAtomicSync(path.join(live.directory.artifacts, path.basename(name)), readFileSync(file, 'utf8'));
}

/** What the worker leaves: the design so far, and its warnings, which are repeated at the end of the run. */
export type IsolatedResult = { made: Deliberation; warnings: string[]; degraded: Degraded };

/** What the worker gets: everything it may know, nothing it has to guess (L-251). */
export type IsolatedJob = {
  run: string;
  home: string;
  artifacts: string;
  inputs: DesignInputs;
  start: { table: SeatedTable; commission: Commission };
};

/**
 * L-250…L-267: steps 2a to 3 in a separate process. The worker has its own store inside the run, so killing either
 * process loses nothing; its status counts only together with the artifacts it must have written.
 */
export async function runIsolatedPhase(desk: Desk, start: IsolatedJob['start']): Promise<Deliberation> {
  const { directory } = desk.context.live;
  const home = workerHome(directory);
  const jobFile = path.join(home, 'job.json');
  const worker = workerDirectory(directory);
  desk.begin('2a', 'in a separate process');
  for (let turn = 1; ; turn += 1) {
    const said = await desk.context.step(`heavy phase, turn ${turn}`, async (signal) => {
      const job: IsolatedJob = {
        run: directory.id,
        home,
        artifacts: directory.artifacts,
        inputs: desk.inputs,
        start,
      };
      await writeJsonAtomic(jobFile, job);
      const status = await relayWorker(desk.context.live, worker, () =>
        runWorker(jobFile, desk.services.configFile, signal),
      );
      signal.throwIfAborted();
      return { status, sizes: artifactSizes(directory.artifacts), open: unanswered(readQuestions(worker)) };
    });
    const result = workerGate(said.status, said.sizes);
    if (result.status === 'complete') break;
    if (said.open.length === 0) throw failed(desk, result.reason);
    // L-266, C-09: the worker's questions are asked here, where you can answer; then it continues.
    desk.note(`⏳ the worker waits: ${result.reason}`);
    const answers = await desk.context.ask(said.open);
    await desk.context.step(`answers for the worker, turn ${turn}`, () =>
      leaveMessage(worker.inbox, { type: 'answer', answers: [...answers.values()] }),
    );
  }
  const file = workerState(worker);
  const text = await readFile(file, 'utf8');
  const { made, warnings, degraded } = parseJson(text, file) as unknown as IsolatedResult;
  desk.warnings.push(...warnings);
  for (const loss of degraded.seats) addLoss(desk.context.degraded, loss);
  desk.context.degraded.oneSided.push(...degraded.oneSided);
  for (const [heading, name, print] of desk.inputs.auto ? [...replayed, ...replayedUnattended] : replayed) {
    const body = (await readTextFile(path.join(directory.artifacts, name))) ?? '';
    if (body !== '') desk.show(heading, print?.(body) ?? body);
  }
  return made;
}

function failed(desk: Desk, reason: string): CharretteError {
  const { caller, prefix } = desk.inputs;
  desk.warn(workerFailureWarning(reason, caller !== undefined, desk.context.live.directory.root, prefix));
  return new CharretteError({
    code: 'isolated-phase-failed',
    message: `The worker process of the isolated phase failed: ${reason}.`,
    fix: 'Fix the cause, then resume the run: the worker continues where it was.',
    retryable: true,
  });
}

/** L-261, C-13: the worker's results are shown from its files, under the same headings as without a worker. */
const replayed: readonly Replayed[] = [
  ['Approach Synthesis', 'approach-synthesis.txt'],
  ['Dialectic Resolutions', 'dialectic-resolutions.md'],
  ['Implementation Plan', 'plan.txt'],
  ['Voting Tally and Reviewer Competition Scoreboard', 'voting-tally.md'],
  ['Plan Review Findings (Voted In)', 'accepted-plan-findings.md', printedAccepted],
  ['Out-of-Scope Observations', 'oos.md'],
];

/** Of the steps that only the worker took; without --auto this process takes them and shows these itself. */
const replayedUnattended: readonly Replayed[] = [
  ['Architecture Diagram', 'architecture-diagram.md', diagramBody],
  ['Unimplemented Plan Review Suggestions', 'rejected-findings.md'],
];

type Replayed = readonly [heading: string, artifact: string, print?: (text: string) => string];

function artifactSizes(folder: string): Record<string, number> {
  const names = [...requiredArtifacts.notEmpty, ...requiredArtifacts.exists];
  return Object.fromEntries(
    names.flatMap((name) => {
      const file = path.join(folder, name);
      return existsSync(file) ? [[name, statSync(file).size]] : [];
    }),
  );
}

/** Starts this program again as the worker and returns its output. */
function runWorker(jobFile: string, config: string | undefined, signal: AbortSignal): Promise<string> {
  const program = process.argv[1] ?? fileURLToPath(import.meta.url);
  // Its other output is for finding causes; this process emits its events.
  const log = openSync(path.join(path.dirname(jobFile), 'worker.log'), 'a');
  return new Promise((resolve, reject) => {
    const flags = config === undefined ? [] : ['--config', config];
    const child = spawn(process.execPath, [program, ...flags, 'isolated-phase', jobFile], {
      stdio: ['ignore', 'pipe', log],
    });
    closeSync(log);
    let said = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      if (said.length < 10_000) said += chunk.toString('utf8');
    });
    const stop = () => child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    child.on('error', reject);
    child.on('close', () => {
      signal.removeEventListener('abort', stop);
      resolve(said);
    });
  });
}
