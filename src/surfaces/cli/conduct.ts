import { type ExitCode, errorTable, exitCodes } from '../../base/error-table.ts';
import { CharretteError, isErrorCode } from '../../base/errors.ts';
import { visibleText } from '../../base/text/strings.ts';
import { readLedger, totalsOf } from '../../engine/ledger.ts';
import { isLive } from '../../engine/lock.ts';
import { type Answer, type Question, readQuestions, unanswered } from '../../engine/question.ts';
import { type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord } from '../../engine/run-record.ts';
import { listArtifacts } from '../../service/artifacts.ts';
import { attendRun } from '../../service/attend.ts';
import {
  type CommandResult,
  type Invocation,
  printNotice,
  stopExit,
  type Terminal,
  throwTimeLimit,
} from '../../service/command.ts';
import { type Project, projectOf } from '../../service/project.ts';
import { worktreesOf } from '../../service/remove.ts';
import { makeRun } from '../../service/start.ts';
import type { NewRun } from '../../workflows/create-run.ts';
import { makeAnswerProvider } from './ask.ts';
import { withDocument } from './live/final-document.ts';
import { openRunView, type RunView } from './reporter.ts';

type Given = ReadonlyMap<string, string>;

/** Creates a run and stays with it; with --queue it is left to a worker. `given`: answers to its questions. */
export async function startCommand(
  invocation: Invocation,
  run: NewRun,
  given: Given = new Map(),
): Promise<CommandResult> {
  const project = projectOf(invocation);
  const { options, global } = invocation;
  const isDetached = options['detach'] === true;
  if (isDetached) refuseWithDetach(invocation);
  if (options['queue'] !== true && !isDetached)
    return conductRun(project, await makeRun(project, run), invocation, given);
  const { startRun } = await import('../../service/start.ts');
  if (isDetached) return queued((await startRun(project, run, 'detached')).run, 'running');
  const queue = {
    labels: (options['label'] as string[] | undefined) ?? [],
    priority: (options['priority'] as number | undefined) ?? 0,
    recommended: global.yes,
    answers: answersOf(given),
  };
  return queued((await startRun(project, run, 'queue', { queue })).run);
}

/** A separate process takes its answers from other processes alone. */
function refuseWithDetach({ options, global }: Invocation): void {
  const refused = [
    ...(options['queue'] === true ? ['--queue'] : []),
    ...(options['answers'] === undefined ? [] : ['--answers']),
    ...(global.yes ? ['--yes'] : []),
  ];
  if (refused.length === 0) return;
  throw new CharretteError({
    code: 'usage',
    message: `--detach cannot be combined with ${refused.join(', ')}.`,
    fix: 'Omit --detach, or answer the run later with `charrette answer`.',
  });
}

export function queued(run: string, status: string = 'queued'): CommandResult {
  return { exit: 0, json: { run, status, watch: `charrette watch ${run}` }, text: `${run}\n` };
}

/** Answers that a file gave. */
export function answersOf(given: Given): Answer[] {
  return [...given].map(([question, value]) => ({ question, value, source: 'file' }));
}

/** Starts or resumes a run and stays with it until it ends, pauses or is stopped. */
export async function conductRun(
  project: Project,
  run: string,
  invocation: Invocation,
  given: Given,
): Promise<CommandResult> {
  const { global, terminal, signal, options } = invocation;
  const directory = runDirectoryOf(project, run);
  const view = await openRunView(global, terminal, { signal, opening: await readRunRecord(directory) });
  const provide = makeAnswerProvider(global, terminal, given, options['remoteAnswers'] === true);
  try {
    const record = await attendRun(project, run, {
      signal,
      answer: (questions, stop) => view.aside(() => provide(questions, stop)),
      report: view.report,
      catchUp: view.catchUp,
      notify: async (sentence) => {
        if (!global.quiet) await view.aside(async () => printNotice(terminal, sentence));
      },
      observe: () => observe(project, directory, invocation, view),
    });
    view.close();
    const line = isFinal(record.status) ? runBranchLine(record) : undefined;
    const onPage = view.live && terminal.stdout.isTTY === true && global.output === 'text';
    if (line !== undefined && !global.quiet && (!onPage || record.status === 'failed'))
      printNotice(terminal, line);
    const result = { ...(await describeRun(directory, record, invocation)), streamed: true };
    if (!view.live) return result;
    const whole = await withDocument(result, directory, record, invocation);
    return onPage && line !== undefined ? { ...whole, text: `${whole.text ?? ''}\n${line}\n` } : whole;
  } finally {
    view.close();
  }
}

/** Exports traces of the run when the environment asks for them. */
async function observe(
  project: Project,
  directory: RunDirectory,
  { openObserver, terminal, global }: Invocation,
  view: RunView,
) {
  const print = (text: string) => view.aside(async () => void terminal.stderr.write(text));
  const observer = await openObserver?.(project, directory, (text) => void print(text));
  return {
    hear: observer?.hear ?? (() => {}),
    async close() {
      const failure = await observer?.close();
      if (failure !== undefined && !global.quiet) await print(`${visibleText(failure)}\n`);
    },
  };
}

/** The result of a run command as the contract has it: `{run, status, artifacts, cost}`, or what it waits for. */
async function describeRun(
  directory: RunDirectory,
  record: RunRecord,
  invocation: Invocation,
): Promise<CommandResult> {
  const { terminal } = invocation;
  const cost = totalsOf(readLedger(directory.ledger));
  const resume = `charrette resume ${directory.id}`;
  const worktrees = await worktreesOf(directory);
  if (record.status === 'failed') throw failure(record, resume, worktrees);
  if (record.status === 'paused') {
    const questions = unanswered(readQuestions(directory));
    printNotice(terminal, `Paused. ${howToAnswer(directory.id, questions)}`);
    await printQuestions(directory.id, questions, terminal);
    return {
      exit: exitCodes.paused,
      json: { run: directory.id, status: 'paused', questions, resume, cost },
    };
  }
  if (!isFinal(record.status)) return describeLeft(directory, record, invocation);
  if (record.status !== 'done') terminal.stderr.write(worktreeLine(worktrees));
  const artifacts = await listArtifacts(directory);
  return {
    exit: (record.exit ?? exitCodes.failed) as ExitCode,
    json: {
      run: directory.id,
      status: record.status,
      artifacts,
      cost,
      ...(record.branch === undefined ? {} : { branch: record.branch }),
      ...(record.degraded === undefined ? {} : { degraded: record.degraded }),
      ...(worktrees.length === 0 ? {} : { worktrees }),
    },
    text: '',
  };
}

/** A signal or the time limit ended the command before the run: it was stopped and saved, or continues in another process. */
function describeLeft(
  directory: RunDirectory,
  record: RunRecord,
  { signal, terminal }: Invocation,
): CommandResult {
  const elsewhere = record.status !== 'stopped' && isLive(record, directory);
  const next = elsewhere ? `charrette watch ${directory.id}` : `charrette resume ${directory.id}`;
  throwTimeLimit(signal, `Raise --timeout, or continue with \`${next}\`.`);
  terminal.stderr.write(
    elsewhere
      ? `The run continues in process ${record.process?.pid}; follow it with \`${next}\`.\n`
      : `Resume with \`${next}\`.\n`,
  );
  return {
    exit: stopExit(signal),
    json: {
      run: directory.id,
      status: elsewhere ? record.status : 'stopped',
      resume: next,
      cost: totalsOf(readLedger(directory.ledger)),
    },
  };
}

function failure(record: RunRecord, resume: string, worktrees: readonly string[]): CharretteError {
  const { code: named, message = `The run ${record.run} failed.`, fix } = record.error ?? {};
  const code = named !== undefined && isErrorCode(named) ? named : 'internal';
  const place = worktrees.length === 0 ? '' : ` ${worktreeLine(worktrees).trim()}`;
  // The general fix of an error code does not name this run.
  const own = fix === undefined || fix === errorTable[code].fix ? undefined : fix;
  const next = `Run \`charrette show ${record.run}\` for details; after fixing the cause, run \`${resume}\`.`;
  return new CharretteError({ code, message: `${message}${place}`, fix: own ?? next });
}

/** One line about checkouts that a run has left; nothing when there are none. */
export function worktreeLine(places: readonly string[]): string {
  return places.length === 0 ? '' : `Unmerged checkouts: ${places.join(', ')}.\n`;
}

/** Names the branch that a design checked out and how to go back; nothing where the run checked none out. */
function runBranchLine({ branch }: Pick<RunRecord, 'branch'>): string | undefined {
  if (branch === undefined) return undefined;
  const { name, created, previous } = branch;
  const detached = /^[0-9a-f]{40,64}$/.test(previous) ? '--detach ' : '';
  const made = created ? 'created by this run' : 'existed before';
  return `Branch: ${name} (${made}). Run \`git switch ${detached}${previous}\` to go back.`;
}

/** The sentence before open questions. A run continues without a person only if every question has a recommended answer. */
export function howToAnswer(run: string, questions: readonly Question[]): string {
  const resume = `charrette resume ${run}`;
  if (questions.length === 0) return `Continue with \`${resume}\`.`;
  if (questions.some(({ recommended }) => recommended === undefined)) return 'Answer as shown.';
  return `Answer as shown, or take every recommended answer with \`${resume} --yes\`.`;
}

/** Open questions as `show` has them, on stderr; a pipe has no width, so nothing is cut there. */
export async function printQuestions(
  run: string,
  questions: readonly Question[],
  terminal: Pick<Terminal, 'stderr' | 'env'>,
): Promise<void> {
  if (questions.length === 0) return;
  const [{ questionLines }, { marksFor }, { default: colorsModule }] = await Promise.all([
    import('./live/question-lines.ts'),
    import('./live/marks.ts'),
    import('picocolors'),
  ]);
  const { isTTY, columns = 80 } = terminal.stderr;
  const paper = {
    columns: isTTY === true ? Math.max(20, columns - 1) : Number.POSITIVE_INFINITY,
    marks: marksFor(terminal.env),
    colors: colorsModule.createColors(false),
  };
  for (const question of questions)
    for (const line of questionLines(question, run, paper)) printNotice(terminal, line);
}
