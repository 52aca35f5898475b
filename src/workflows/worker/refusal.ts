import { retriablePostgresException } from '@dbos-inc/dbos-sdk/internal/system_database';
import { LostRun } from '../../engine/queue/mirror.ts';
import { isCharretteError } from '../../errors.ts';

/**
 * Who is at fault when a run cannot begin. `lost`: nobody, it is another worker's by now. `store`: it did not answer, and the run
 * can wait. `machine`: no run can begin here, but some may elsewhere. `run`: it will not begin anywhere.
 */
export type Fault = 'lost' | 'store' | 'machine' | 'run';

/** A disk that is full or cannot be written, and a machine that has run out of something. */
const machineCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM'];

export function faultOf(error: unknown): Fault {
  if (error instanceof LostRun) return 'lost';
  if (chainOf(error).some((link) => machineCodes.includes(codeOf(link)) || codeOf(link) === 'disk-full'))
    return 'machine';
  if (isCharretteError(error)) return error.code === 'store-unreachable' ? 'store' : 'run';
  return error instanceof Error && (retriablePostgresException(error) || isSilence(error)) ? 'store' : 'run';
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
