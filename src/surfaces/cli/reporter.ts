import { visibleJson, visibleText } from '../../base/text/untrusted.ts';
import { type SeatStatus, statusRow, substituteIn } from '../../council/breadcrumbs.ts';
import type { RunEvent } from '../../engine/event.ts';
import type { GlobalFlags, Terminal } from '../../service/command.ts';
import { linesOf } from '../../service/event-lines.ts';

type Seat = { lane: string; label: string; planned: string | undefined; status: SeatStatus };

/**
 * L-040: the status table after every change. The run itself says it at launch and at the end; on a terminal the lines in
 * between are made here from the events, elsewhere they would only be noise (L-043).
 */
export function makeStatusLines(): (event: RunEvent) => string[] {
  let queued: Seat[] = [];
  let title: string | undefined;
  return (event) => {
    switch (event.type) {
      case 'phase-start':
        queued = [];
        title = undefined;
        return [];
      case 'lane-queue':
        if (title !== undefined) queued = [];
        title = undefined;
        queued.push({
          lane: event.lane,
          label: event.label,
          planned: event.planned,
          status: { state: 'pending' },
        });
        return [];
      case 'note':
        // The line of the launch names the table; lanes that belong to none are followed by no such line.
        title = /^📊 ([^|]+): \|/.exec(event.text)?.[1] ?? title;
        return [];
      case 'lane-end': {
        const seat = queued.find(({ lane }) => lane === event.lane);
        if (title === undefined || seat === undefined) return [];
        const { agent, elapsedMs } = event;
        seat.status =
          event.kind === 'ok'
            ? { state: 'done', elapsedMs, by: substituteIn(seat.planned, agent) }
            : { state: 'failed', elapsedMs };
        // The last change is the line that the run says itself.
        return queued.some(({ status }) => status.state === 'pending') ? [statusRow(title, queued)] : [];
      }
      default:
        return [];
    }
  };
}

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
