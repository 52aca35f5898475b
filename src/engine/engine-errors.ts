import { hostname } from 'node:os';
import { CharretteError } from '../errors.ts';
import { readLock } from './lock.ts';
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
  if (isForeign(holder))
    return new CharretteError({
      code: 'store-locked',
      message: `The run ${run} is held by ${onOtherHost(holder, file)}.`,
      fix: `${follow}; ${removeIfGone(file)}`,
    });
  return new CharretteError({
    code: 'store-locked',
    message: `The run ${run} is going on in process ${holder.pid} on ${holder.host}.`,
    fix: `${follow}.`,
  });
}

/** It was told to end a run, and whether it hears that cannot be seen. */
export function unheardOnOtherHost(run: string, holder: ProcessIdentity, file: string): CharretteError {
  return new CharretteError({
    code: 'store-locked',
    message: `The run ${run} was told to end and has not: it is held by ${onOtherHost(holder, file)}.`,
    fix: `If that process works, it ends the run as soon as it can: \`charrette show ${run}\`; ${removeIfGone(file)} Then cancel the run again.`,
  });
}

/** A process there can neither be handed a run nor be seen to end. */
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

/** Nobody can answer, cancel or go on with it any more. */
export function hasEnded({ run, status }: RunRecord): CharretteError {
  return new CharretteError({
    code: 'usage',
    message: `The run ${run} has ended: ${status}.`,
    fix: `Look at it with \`charrette show ${run}\`.`,
  });
}
