import { createLogUpdate } from 'log-update';
import { createColors } from 'picocolors';
import { headline, untrustedLine } from '../../../base/text/strings.ts';
import type { RunEvent } from '../../../engine/event.ts';
import { emptyView, foldEvents, type View } from '../../../service/run-view.ts';
import type { RunOpening, RunView } from '../reporter.ts';
import { marksFor } from './marks.ts';
import { type Canvas, fitRows, pictureOf } from './picture.ts';

export type LiveOptions = {
  stream: NodeJS.WriteStream;
  env: NodeJS.ProcessEnv;
  color: boolean;
  motion: boolean;
  now: () => number;
  /** Which run is being opened; shown until its first event comes. */
  opening?: RunOpening | undefined;
  /** Called for every event after the view has it. */
  onEvent?: (event: RunEvent) => void;
  signal: AbortSignal;
};

/** With motion a picture every eighth of a second; without, only when something happened or ten seconds passed. */
const pace = { motion: { turn: 125, event: 40 }, still: { turn: 10_000, event: 250 } } as const;

/** Opening a store takes a moment; that it is this run which comes is known before. */
function openingView(opening: RunOpening | undefined, started: number): View {
  if (opening === undefined) return emptyView;
  const shown = [opening.run, opening.workflow, headline(opening.title)];
  const [id, workflow, title] = shown.map(untrustedLine);
  return {
    ...emptyView,
    run: { seq: 0, id: id ?? '', workflow: workflow ?? '', title: title ?? '', started },
  };
}

/** Draws the events of a run in place on a terminal; what stood there when it is closed stays. */
export function startLiveView(options: LiveOptions): RunView {
  const { stream, motion, signal } = options;
  const { turn, event: afterEvent } = motion ? pace.motion : pace.still;
  const draw = createLogUpdate(stream);
  const base = { marks: marksFor(options.env), colors: createColors(options.color) };
  let view: View = openingView(options.opening, options.now());
  /** Applied to the view at the next redraw: one redraw covers many events. */
  let fresh: RunEvent[] = [];
  let frame = 0;
  let asides = 0;
  let closed = false;
  let soon: NodeJS.Timeout | undefined;

  const canvas = (final: boolean): Canvas => ({
    ...base,
    // The last column stays free: a terminal that wraps early would break the view.
    columns: Math.max(20, (stream.columns ?? 80) - 1),
    now: options.now(),
    frame: motion ? frame : 0,
    final,
  });
  const current = (): View => {
    view = foldEvents(view, fresh);
    fresh = [];
    return view;
  };
  const paint = () => {
    if (asides > 0 || closed) return;
    const lines = fitRows(
      pictureOf(current(), canvas(false)),
      Math.max(3, (stream.rows ?? 24) - 2),
      base.marks,
    );
    const stopping = signal.aborted ? [base.colors.yellow(' stopping; once more to stop at once')] : [];
    if (lines.length > 0) draw([...lines.map(({ text }) => text), ...stopping].join('\n'));
  };
  const paintSoon = () => {
    soon ??= setTimeout(() => {
      soon = undefined;
      paint();
    }, afterEvent);
  };
  const turning = setInterval(() => {
    frame += 1;
    paint();
  }, turn).unref();
  stream.on('resize', paintSoon);
  signal.addEventListener('abort', paintSoon);
  paint();

  return {
    live: true,
    catchUp(past) {
      view = foldEvents(current(), past);
      paintSoon();
    },
    report(event) {
      fresh.push(event);
      options.onEvent?.(event);
      paintSoon();
    },
    async aside(talk) {
      asides += 1;
      if (asides === 1) {
        draw.clear();
        draw.done();
      }
      try {
        const answers = await talk();
        // What was answered here is not asked again until its event comes.
        if (answers !== undefined) view = { ...current(), questions: [] };
        return answers;
      } finally {
        asides -= 1;
        // Not at once: a prompt ends its last line only after it has answered.
        paintSoon();
      }
    },
    close() {
      if (closed) return;
      closed = true;
      clearInterval(turning);
      clearTimeout(soon);
      stream.off('resize', paintSoon);
      signal.removeEventListener('abort', paintSoon);
      draw.clear();
      draw.done();
      const lines = pictureOf({ ...current(), questions: [] }, canvas(true)).map(({ text }) => text);
      if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
    },
  };
}
