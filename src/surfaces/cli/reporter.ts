import { visibleJson, visibleText } from '../../base/text/untrusted.ts';
import type { RunEvent } from '../../engine/event.ts';
import type { GlobalFlags, Terminal } from '../../service/command.ts';
import { linesOf } from '../../service/event-lines.ts';
import { makeStatusLines } from './status-lines.ts';

/** Turns the events of a run into what this terminal or pipe wants to see. */
export function makeReporter(global: GlobalFlags, terminal: Terminal): (event: RunEvent) => void {
  if (global.output === 'stream-json')
    return (event) => void terminal.stdout.write(`${visibleJson(event)}\n`);
  if (global.quiet) return () => {};
  const statusLines = terminal.stderr.isTTY === true ? makeStatusLines() : () => [];
  return (event) => {
    if (global.output === 'text') writeBody(event, terminal);
    for (const line of [...linesOf(event, { verbose: global.verbose }), ...statusLines(event)])
      terminal.stderr.write(`${visibleText(line)}\n`);
  };
}

/** What a run has to show goes to stdout. */
export function writeBody(event: RunEvent, terminal: Terminal): void {
  if (event.type === 'body') terminal.stdout.write(`## ${event.heading}\n\n${visibleText(event.text)}\n`);
}
