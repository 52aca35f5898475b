import { thisWorld } from '../../agents/settings.ts';
import { loadConfig } from '../../base/config/config.ts';
import { type ExitCode, errorTable, exitCodes } from '../../base/error-table.ts';
import { CharretteError, isErrorCode } from '../../base/errors.ts';
import { visibleText } from '../../base/text/untrusted.ts';
import type { Engine, EngineOpening } from '../../engine/engine.ts';
import { readEvents } from '../../engine/event-log.ts';
import { followEvents } from '../../engine/follow.ts';
import { leaveMessage } from '../../engine/inbox.ts';
import { readLedger, totalsOf } from '../../engine/ledger.ts';
import { isLive } from '../../engine/liveness.ts';
import { isAlive } from '../../engine/process-identity.ts';
import { readQuestions, unanswered } from '../../engine/question.ts';
import { type Home, type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord } from '../../engine/run-record.ts';
import { openStories } from '../../workflows/open.ts';
import { wantedTelemetry } from '../telemetry/enabled.ts';
import { openTelemetry } from '../telemetry/open.ts';
import { answerOpen } from './answer-open.ts';
import { listArtifacts } from './artifacts.ts';
import { makeAnswerProvider } from './ask.ts';
import type { CommandResult, Invocation } from './command.ts';
import { withDocument } from './live/final-document.ts';
import { openRunView, type RunView } from './live/run-view.ts';
import { queueRun } from './queue-run.ts';
import { runBranchLine } from './run-branch-line.ts';
import { worktreeLine, worktreesOf } from './run-work.ts';
import { stopExit, throwTimeLimit } from './stopped.ts';
import { tell } from './tell.ts';
import { howToAnswer, tellQuestions } from './tell-questions.ts';
import { version } from './version.ts';

/** Starts or goes on with a run and stays with it until it ends, pauses or is stopped. */
export async function conductRun(
  home: Home,
  runId: string,
  invocation: Invocation,
  given: ReadonlyMap<string, string>,
): Promise<CommandResult> {
  const { global, terminal, signal } = invocation;
  if (invocation.options['queue'] === true) return queueRun(home, runId, invocation, given);
  const directory = runDirectoryOf(home, runId);
  const view = await openRunView(global, terminal, { signal, opening: await readRunRecord(directory) });
  try {
    const opening = await openHere(home, invocation);
    // A run that goes on continues its picture.
    const past = readEvents(directory.events);
    view.catchUp(past);
    const record = opening.opened
      ? await conductHere(opening.engine, home, runId, invocation, given, view)
      : await followElsewhere(opening, home, runId, invocation, given, view, past.at(-1)?.seq);
    view.close();
    const line = isFinal(record.status) ? runBranchLine(record) : undefined;
    const onPage = view.live && terminal.stdout.isTTY === true && global.output === 'text';
    if (line !== undefined && !global.quiet && (!onPage || record.status === 'failed')) tell(terminal, line);
    const result = { ...(await describeRun(directory, record, invocation)), streamed: true };
    if (!view.live) return result;
    const whole = await withDocument(result, directory, record, invocation);
    return onPage && line !== undefined ? { ...whole, text: `${whole.text ?? ''}\n${line}\n` } : whole;
  } finally {
    view.close();
  }
}

async function conductHere(
  engine: Engine,
  home: Home,
  runId: string,
  invocation: Invocation,
  given: ReadonlyMap<string, string>,
  view: RunView,
): Promise<RunRecord> {
  const { global, terminal, signal } = invocation;
  const provide = makeAnswerProvider(global, terminal, given, invocation.options['remoteAnswers'] === true);
  const say = (text: string) => view.aside(async () => void terminal.stderr.write(text));
  const telemetry = await telemetryOf(home, runId, invocation, (text) => void say(text));
  try {
    engine.subscribe(runId, view.report);
    engine.subscribe(runId, telemetry.hear);
    const end = await engine.conduct(runId, {
      signal,
      answer: (questions, stop) => view.aside(() => provide(questions, stop)),
    });
    await engine.drain(runId, signal);
    return end.record;
  } finally {
    await engine.close();
    const failure = await telemetry.close();
    if (failure !== undefined && !global.quiet) await say(`${visibleText(failure)}\n`);
  }
}

/** The configuration is asked for prices only where spans are wanted. */
async function telemetryOf(
  home: Home,
  runId: string,
  { global, terminal: { env } }: Invocation,
  print: (text: string) => void,
) {
  const directory = runDirectoryOf(home, runId);
  const { wanted } = wantedTelemetry(env);
  const settings = wanted ? await loadConfig({ project: home.project, env, file: global.config }) : undefined;
  return openTelemetry(directory, env, { version, prices: settings?.config.prices, print });
}

/**
 * Another process holds the store: leave the request there and watch what comes after `seen`, as earlier attempts may have ended;
 * when that process ends, take over.
 */
async function followElsewhere(
  { holder, requireStartable }: Extract<EngineOpening, { opened: false }>,
  home: Home,
  runId: string,
  invocation: Invocation,
  given: ReadonlyMap<string, string>,
  view: RunView,
  seen = 0,
): Promise<RunRecord> {
  const { global, terminal, signal } = invocation;
  const directory = runDirectoryOf(home, runId);
  const before = await readRunRecord(directory);
  requireStartable(before);
  // How it ended before is no end of now.
  const over = isFinal(before.status);
  if (!global.quiet)
    await view.aside(async () => {
      terminal.stderr.write(`the store is held by process ${holder.pid}; the run goes on there\n`);
    });
  await leaveMessage(home.inbox, { type: 'run', run: runId });
  const provide = makeAnswerProvider(global, terminal, given, invocation.options['remoteAnswers'] === true);
  /** False: nobody here can answer. */
  const answer = () =>
    answerOpen(
      directory,
      (open, answeredElsewhere) =>
        view.aside(() => provide(open, AbortSignal.any([signal, answeredElsewhere]))),
      (text) => view.aside(async () => tell(terminal, text)),
    );
  const paused = async (): Promise<RunRecord> => ({ ...(await readRunRecord(directory)), status: 'paused' });
  const stop = new AbortController();
  const watchHolder = setInterval(() => {
    if (!isAlive(holder)) stop.abort('holder-gone');
  }, 500).unref();
  let last = seen;
  try {
    // What it asked before is not said to be asked once more.
    if (!(await answer())) return await paused();
    const events = followEvents(directory.events, {
      signal: AbortSignal.any([signal, stop.signal]),
      until: async (event) =>
        (!over || (event?.seq ?? 0) > seen) && isFinal((await readRunRecord(directory)).status),
    });
    for await (const event of events) {
      if (event.seq <= seen) continue;
      last = event.seq;
      view.report(event);
      if (event.type === 'question-ask' && !(await answer())) return await paused();
    }
  } finally {
    clearInterval(watchHolder);
  }
  if (signal.aborted || !stop.signal.aborted) return readRunRecord(directory);
  const opening = await openHere(home, invocation);
  return opening.opened
    ? conductHere(opening.engine, home, runId, invocation, given, view)
    : followElsewhere(opening, home, runId, invocation, given, view, last);
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
    tell(terminal, `Paused. ${howToAnswer(directory.id, questions)}`);
    await tellQuestions(directory.id, questions, terminal);
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
      ...(worktrees.length === 0 ? {} : { worktrees }),
    },
    text: '',
  };
}

/** A signal or the time limit took us away from a run: it was stopped and saved, or it goes on in another process. */
function describeLeft(
  directory: RunDirectory,
  record: RunRecord,
  { signal, terminal }: Invocation,
): CommandResult {
  const elsewhere = record.status !== 'stopped' && isLive(record, directory);
  const next = elsewhere ? `charrette watch ${directory.id}` : `charrette resume ${directory.id}`;
  throwTimeLimit(signal, `Raise --timeout, or go on with \`${next}\`.`);
  terminal.stderr.write(
    elsewhere
      ? `The run goes on in process ${record.process?.pid}; follow it with \`${next}\`.\n`
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
  // What usually helps with such an error says nothing of this run.
  const own = fix === undefined || fix === errorTable[code].fix ? undefined : fix;
  const next = `Look at \`charrette show ${record.run}\`; go on with \`${resume}\` once the cause is gone.`;
  return new CharretteError({ code, message: `${message}${place}`, fix: own ?? next });
}

async function openHere(home: Home, { global, terminal }: Invocation) {
  const { config } = await loadConfig({ project: home.project, env: terminal.env, file: global.config });
  const { store = 'embedded', databaseRetrySeconds: patienceSeconds, agents } = config;
  const setting = store === 'embedded' ? store : { ...store, patienceSeconds };
  return openStories(home, setting, thisWorld(), { agents, file: global.config });
}
