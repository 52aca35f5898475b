import { hostname } from 'node:os';
import { CharretteError } from '../base/errors.ts';
import { isForeign, type ProcessIdentity, readLock } from './lock.ts';
import type { RunRecord } from './run-record.ts';
import type { Store } from './store.ts';

export function storeError(store: Store, cause: unknown): CharretteError {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (store.kind === 'embedded')
    return new CharretteError({ code: 'internal', message: `The engine did not start: ${message}`, cause });
  return serverError(cause);
}

/** What the user can do about a refusal, by the beginning of the server's code for it. */
const refusals = [
  ['28', 'Check the user and the password in CHARRETTE_DATABASE_URL.'],
  ['3D', 'Make the database, or let the role make it: `ALTER ROLE … CREATEDB`.'],
  [
    '42501',
    'Let the role make schemas in the database: `GRANT CREATE ON DATABASE … TO …`; of schemas that another role made it needs the rights to use all tables and sequences.',
  ],
] as const;

/** Why a server cannot be used: it cannot be reached, or it refuses. */
export function serverError(cause: unknown): CharretteError {
  const message = cause instanceof Error ? cause.message || cause.name : String(cause);
  const refusal = refusals.find(([code]) => codeOf(cause).startsWith(code));
  if (refusal !== undefined)
    return new CharretteError({
      code: 'store-unreachable',
      message: `The PostgreSQL server refuses: ${message}.`,
      fix: refusal[1],
      cause,
    });
  return new CharretteError({
    code: 'store-unreachable',
    message: `Cannot reach the PostgreSQL database: ${message}.`,
    fix: 'Check CHARRETTE_DATABASE_URL and that the server runs.',
    retryable: true,
    cause,
  });
}

/** The server answers, but has no such database yet. */
export function lacksDatabase(cause: unknown): boolean {
  return codeOf(cause) === '3D000';
}

/** What the client itself says when it has no password to give has no code. */
function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  if ('code' in cause && typeof cause.code === 'string') return cause.code;
  return cause.message.startsWith('SASL: ') ? '28P01' : '';
}

/** Loses nothing: finished work is in the run's directory. */
export function storeLost(run: string, reason: string): CharretteError {
  return new CharretteError({
    code: 'store-unreachable',
    message: `Lost the PostgreSQL database: ${reason}. What was finished is saved.`,
    fix: `Run \`charrette resume ${run}\` once the server answers.`,
    retryable: true,
  });
}

export function unknownWorkflow(record: RunRecord, known: readonly string[]): CharretteError {
  return new CharretteError({
    code: 'not-found',
    message: `The run ${record.run} is of the workflow ${record.workflow}; this version knows ${known.join(', ')}.`,
  });
}

export function otherVersion(record: RunRecord, codeVersion: string): CharretteError {
  return new CharretteError({
    code: 'code-version-gone',
    message: `The run ${record.run} was started by workflow code ${record.codeVersion}; this is ${codeVersion}.`,
    fix: `Start it again from its artifacts: \`charrette design --from-run ${record.run} "…"\`.`,
  });
}

export function heldElsewhere(run: string, holder: ProcessIdentity, file: string): CharretteError {
  const follow = `Follow it with \`charrette watch ${run}\``;
  if (isForeign(holder))
    return new CharretteError({
      code: 'store-locked',
      message: `The run ${run} is held by ${onOtherHost(holder, file)}.`,
      fix: `${follow}; ${removeIfGone(file)}`,
    });
  return new CharretteError({
    code: 'store-locked',
    message: `The run ${run} is running in process ${holder.pid} on ${holder.host}.`,
    fix: `${follow}.`,
  });
}

/** Another process has been leaving an answer for longer than that takes. */
export function answersHeld(run: string, holder: ProcessIdentity, file: string): CharretteError {
  return new CharretteError({
    code: 'store-locked',
    message: `Process ${holder.pid} on ${holder.host} is answering the run ${run} and does not come to an end.`,
    fix: `Let that process finish or end it, then answer again; ${removeIfGone(file)}`,
    retryable: true,
  });
}

/** A process on another host was asked to end a run; whether it received that cannot be seen. */
export function unheardOnOtherHost(run: string, holder: ProcessIdentity, file: string): CharretteError {
  return new CharretteError({
    code: 'store-locked',
    message: `The run ${run} was asked to end and has not: it is held by ${onOtherHost(holder, file)}.`,
    fix: `If that process works, it ends the run as soon as it can: \`charrette show ${run}\`; ${removeIfGone(file)} Then cancel the run again.`,
  });
}

/** A process on another host can neither be handed a run nor be seen to end. */
export function heldOnOtherHost(holder: ProcessIdentity, file: string): CharretteError {
  return new CharretteError({
    code: 'store-locked',
    message: `The embedded store is held by ${onOtherHost(holder, file)}.`,
    fix: `Wait until that process has ended; ${removeIfGone(file)}`,
  });
}

/** Which process, since when, and where that is written. */
export function onOtherHost({ pid, host }: ProcessIdentity, file: string): string {
  const since = readLock(file)?.since;
  return `process ${pid} on ${host}${since === undefined ? '' : ` since ${since}`} (says ${file}); this is ${hostname()}`;
}

export function removeIfGone(file: string): string {
  return `if that host is gone or has another name now, and nothing works there any more, remove ${file}.`;
}

/** The run can no longer be answered, cancelled or resumed. */
export function hasEnded({ run, status }: RunRecord): CharretteError {
  return new CharretteError({
    code: 'usage',
    message: `The run ${run} has ended: ${status}.`,
    fix: `Run \`charrette show ${run}\` for details.`,
  });
}
