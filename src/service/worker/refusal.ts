import { constants } from 'node:os';
import { retriablePostgresException } from '@dbos-inc/dbos-sdk/internal/system_database';
import { isCharretteError } from '../../base/errors.ts';
import { LostRun } from '../../engine/queue/mirror.ts';

/**
 * Who is at fault when a run cannot begin. `lost`: nobody, it is another worker's by now. `store`: it did not answer, and the run
 * can wait. `machine`: it cannot begin here, but may elsewhere. `run`: it will not begin anywhere.
 */
export type Fault = 'lost' | 'store' | 'machine' | 'run';

export function faultOf(error: unknown): Fault {
  if (error instanceof LostRun) return 'lost';
  if (isCharretteError(error) ? error.code === 'store-unreachable' : isOfStore(error)) return 'store';
  return chainOf(error).some(isOfMachine) ? 'machine' : 'run';
}

/** What a system call refused: a full disk, a folder of somebody else, too much open. What is missing is missing of the run. */
function isOfMachine(link: unknown): boolean {
  const code = codeOf(link);
  if (code === 'disk-full' || code === 'permission-denied') return true;
  return typeof code === 'string' && code !== 'ENOENT' && Object.hasOwn(constants.errno, code);
}

function isOfStore(error: unknown): boolean {
  return error instanceof Error && (retriablePostgresException(error) || isSilence(error));
}

/** Connections that were given up on this side, and locks that others held for too long. */
function isSilence(error: unknown): boolean {
  if (codeOf(error) === 'EPIPE' || codeOf(error) === '55P03') return true;
  return (
    error instanceof Error && /connection (was |is )?(closed|terminated)|not queryable/i.test(error.message)
  );
}

function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (
    let link = error;
    link !== undefined && chain.length < 10;
    link = link instanceof Error ? link.cause : undefined
  )
    chain.push(link);
  return chain;
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
