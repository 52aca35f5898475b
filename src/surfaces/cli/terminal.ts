import { CharretteError, toCharretteError } from '../../base/errors.ts';
import { visibleText } from '../../base/text/untrusted.ts';
import type { Terminal } from '../../service/command.ts';

type Output = Terminal['stderr'];

/**
 * A terminal without a size (in a container, or below a program that records one) gets the usual one: it reports none, and
 * every library would fit its lines into no column at all. A size that it is given later replaces this one.
 */
export function giveSize(...outputs: readonly Output[]): void {
  for (const output of outputs) {
    if (output.isTTY !== true) continue;
    if (!output.columns) output.columns = 80;
    if (!output.rows) output.rows = 24;
  }
}

/**
 * Keeps the program alive when the reader of its output exits (`charrette show | head -1`): a run continues and its
 * record is complete. Any other failure to write, such as a full disk behind `> file`, is an error of the command.
 */
export function watchOutput(terminal: Terminal): { settled(): Promise<void> } {
  let failure: unknown;
  for (const stream of [terminal.stdout, terminal.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') failure ??= error;
    });
  }
  return {
    async settled() {
      await new Promise<void>((resolve) => terminal.stdout.write('', () => resolve()));
      if (failure === undefined) return;
      const { code, message } = toCharretteError(failure);
      throw new CharretteError({
        code,
        message: `The result could not be written: ${message}.`,
        cause: failure,
      });
    },
  };
}

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
