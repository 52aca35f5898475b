import { terminalText } from '../../base/text/untrusted.ts';
import type { Terminal } from './command.ts';

/** A line for the person, beside the result. It may quote a file, an agent or a server. */
export function tell({ stderr }: Pick<Terminal, 'stderr'>, line: string): void {
  stderr.write(`${terminalText(line)}\n`);
}
