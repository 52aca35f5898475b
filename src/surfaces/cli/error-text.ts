import type { CharretteError } from '../../base/errors.ts';
import { visibleText } from '../../base/text/untrusted.ts';

/** The one place where an error becomes text for people. */
export function renderError(error: CharretteError, verbose: boolean): string {
  // The code must not look like a part of the last of several lines.
  const after = error.message.includes('\n') ? '\n  ' : ' ';
  const lines = [`charrette: ${error.message}${after}[${error.code}]`, `  fix: ${error.fix}`];
  if (verbose && error.cause instanceof Error && error.cause.stack !== undefined)
    lines.push(error.cause.stack);
  else if (error.code === 'internal' && error.stack !== undefined && verbose) lines.push(error.stack);
  // A message may quote a file or an agent.
  return visibleText(`${lines.join('\n')}\n`);
}
