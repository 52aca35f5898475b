import type { RunEvent } from '../engine/event.ts';
import type { GlobalFlags, Terminal } from './command.ts';
import { linesOf } from './event-lines.ts';
import { makeStatusLines } from './status-lines.ts';

/** Turns the events of a run into what this terminal or pipe wants to see. */
export function makeReporter(global: GlobalFlags, terminal: Terminal): (event: RunEvent) => void {
  if (global.output === 'stream-json')
    return (event) => void terminal.stdout.write(`${JSON.stringify(event)}\n`);
  if (global.quiet) return () => {};
  const statusLines = terminal.stderr.isTTY === true ? makeStatusLines() : () => [];
  return (event) => {
    if (global.output === 'text') writeBody(event, terminal);
    for (const line of [...linesOf(event, { verbose: global.verbose }), ...statusLines(event)])
      terminal.stderr.write(`${withoutControls(line)}\n`);
  };
}

/** What a run has to show goes to stdout. */
export function writeBody(event: RunEvent, terminal: Terminal): void {
  if (event.type === 'body') terminal.stdout.write(`## ${event.heading}\n\n${withoutControls(event.text)}\n`);
}

/** Text of agents must not steer the terminal. */
export function withoutControls(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '�');
}
