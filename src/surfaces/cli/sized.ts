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
