import { clockFrom } from '../../../engine/clock.ts';
import type { RunEvent } from '../../../engine/event.ts';
import type { RunRecord } from '../../../engine/run-record.ts';
import type { GlobalFlags, Terminal } from '../../../service/command.ts';
import { makeReporter, writeBody } from '../reporter.ts';

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
  const { startLiveView } = await import('./live-view.ts');
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
