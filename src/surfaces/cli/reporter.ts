import { visibleJson, visibleText } from '../../base/text/strings.ts';
import { type SeatStatus, statusRow, substituteIn } from '../../council/breadcrumbs.ts';
import { clockFrom } from '../../engine/clock.ts';
import type { RunEvent } from '../../engine/event.ts';
import type { RunRecord } from '../../engine/run-record.ts';
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
function writeBody(event: RunEvent, terminal: Terminal): void {
  if (event.type === 'body') terminal.stdout.write(`## ${event.heading}\n\n${visibleText(event.text)}\n`);
}

/** Where a run is shown while it runs. */
export type RunView = {
  /** Whether a picture is drawn in place; else lines or events are written one after the other. */
  live: boolean;
  /** What happened before this process came to the run: part of a picture, not said again in lines. */
  catchUp(past: readonly RunEvent[]): void;
  report(event: RunEvent): void;
  /** Talks with the person while the picture is out of the way. */
  aside<Result>(talk: () => Promise<Result>): Promise<Result>;
  close(): void;
};

/** What is known of a run before its store is open. */
export type RunOpening = Pick<RunRecord, 'run' | 'workflow' | 'title'>;

/** A picture on a terminal that can hold one; lines on any other, in a pipe, in CI and when they are asked for. */
export function wantsLiveView(global: GlobalFlags, { stderr, env }: Terminal): boolean {
  if (global.output === 'stream-json' || global.quiet || global.verbose || global.plain) return false;
  return stderr.isTTY === true && env['TERM'] !== 'dumb' && (env['CI'] ?? '') === '';
}

export async function openRunView(
  global: GlobalFlags,
  terminal: Terminal,
  { signal, opening }: { signal: AbortSignal; opening?: RunOpening },
): Promise<RunView> {
  if (!wantsLiveView(global, terminal)) {
    return {
      live: false,
      catchUp() {},
      report: makeReporter(global, terminal),
      aside: (talk) => talk(),
      close() {},
    };
  }
  const { startLiveView } = await import('./live/live-view.ts');
  // Where the result goes to a file or a pipe, it gets the same bytes as without a picture.
  const bodies = global.output === 'text' && terminal.stdout.isTTY !== true;
  return startLiveView({
    stream: terminal.stderr as NodeJS.WriteStream,
    env: terminal.env,
    color: global.color.stderr,
    motion: global.motion,
    now: () => clockFrom(terminal.env).now(),
    opening,
    signal,
    ...(bodies ? { onEvent: (event: RunEvent) => writeBody(event, terminal) } : {}),
  });
}
