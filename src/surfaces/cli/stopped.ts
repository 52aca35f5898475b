import { type ExitCode, exitCodes } from '../../base/error-table.ts';
import { CharretteError, exitCodeOf, isCharretteError } from '../../base/errors.ts';

/** The exit of a command that was told to stop: 3 by the time limit, 130 by Ctrl-C, 143 by another signal. */
export function stopExit({ reason }: AbortSignal): ExitCode {
  if (isCharretteError(reason)) return exitCodeOf(reason);
  return reason === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
}

/** Throws when it was the time limit that stopped a command: what holds at that moment, and how to go on. */
export function throwTimeLimit({ reason }: AbortSignal, fix: string, state = ''): void {
  if (!isCharretteError(reason)) return;
  const { code, message } = reason;
  throw new CharretteError({ code, message: `${message}${state}`, fix });
}
