import { CharretteError, toCharretteError } from '../../base/errors.ts';
import type { Terminal } from '../../service/command.ts';

/**
 * Keeps the program alive when whoever reads its output goes away (`charrette show | head -1`): a run goes on and its
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
