import type { Terminal } from './command.ts';
import { pageWidth } from './help.ts';

/** How tables are shown on a terminal: so wide, and longer texts cut. */
export type Fitting = { width: number; cut: (text: string, columns: number) => string };

/** Nothing for a pipe: it has no width, gets everything, and does not load the table of characters. */
export async function fittingFor(stdout: Terminal['stdout']): Promise<Fitting | undefined> {
  if (stdout.isTTY !== true) return undefined;
  const { shorten } = await import('./live/fit.ts');
  return { width: pageWidth(stdout) - 1, cut: shorten };
}
