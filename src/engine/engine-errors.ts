import { hostname } from 'node:os';
import { CharretteError } from '../errors.ts';
import { isForeign, type ProcessIdentity } from './process-identity.ts';
import type { RunRecord } from './run-record.ts';
import type { Store } from './store.ts';

export function storeError(store: Store, cause: unknown): CharretteError {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (store.kind === 'embedded')
    return new CharretteError({ code: 'internal', message: `The engine did not start: ${message}`, cause });
  return new CharretteError({
    code: 'store-unreachable',
    message: `The PostgreSQL store does not answer: ${message}.`,
    fix: 'Check CHARRETTE_DATABASE_URL and that the server runs, or unset it to use the embedded store.',
    retryable: true,
    cause,
  });
}

/** Nothing is lost by this: what was finished stands in the run's directory. */
export function storeLost(run: string, reason: string): CharretteError {
  return new CharretteError({
    code: 'store-unreachable',
    message: `The PostgreSQL store stopped answering: ${reason}. What was finished is saved.`,
    fix: `Go on with \`charrette resume ${run}\` once the server answers.`,
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
  return new CharretteError({
    code: 'store-locked',
    message: `The run ${run} is going on in process ${holder.pid} on ${holder.host}.`,
    fix: isForeign(holder) ? `${follow}; ${removeIfGone(file)}` : `${follow}.`,
  });
}

/** A process there can neither be handed a run nor be seen to end. */
export function heldOnOtherHost(holder: ProcessIdentity, file: string): CharretteError {
  return new CharretteError({
    code: 'store-locked',
    message: `The embedded store is held by process ${holder.pid} on ${holder.host}; this is ${hostname()}. ${file} says so.`,
    fix: `Wait until that process has ended; ${removeIfGone(file)}`,
  });
}

function removeIfGone(file: string): string {
  return `if that host is gone or has another name now, and nothing works there any more, remove ${file}.`;
}

/** Nobody can answer, cancel or go on with it any more. */
export function hasEnded({ run, status }: RunRecord): CharretteError {
  return new CharretteError({
    code: 'usage',
    message: `The run ${run} has ended: ${status}.`,
    fix: `Look at it with \`charrette show ${run}\`.`,
  });
}
