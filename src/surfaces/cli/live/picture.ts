import stringWidth from 'string-width';
import { formatElapsed } from '../../../base/text/strings.ts';
import {
  callTokens,
  isUnderWay,
  type LaneLine,
  type NoteLine,
  type PhaseLine,
  tokensOf,
  type View,
} from '../../../service/run-view.ts';
import { cell, shorten, wrap } from './fit.ts';
import type { Colors, Marks } from './marks.ts';
import { questionLines } from './question-lines.ts';

/** Columns of a lane table from left to right; on a narrow screen those with a low rank go first. */
const fields = [
  { name: 'label', side: 'left', rank: 9 },
  { name: 'agent', side: 'left', rank: 2 },
  { name: 'state', side: 'left', rank: 4 },
  { name: 'elapsed', side: 'right', rank: 3 },
  { name: 'tokens', side: 'right', rank: 1 },
] as const;

type FieldName = (typeof fields)[number]['name'];

const indent = 5;
const gap = 2;
const widestLabel = 32;

/** One line per lane: who, with which agent, in which state, how long, how many tokens. */
export function laneRows(
  lanes: readonly LaneLine[],
  canvas: Canvas,
): { text: string; seq: number; underWay: boolean; trouble: string | undefined }[] {
  const rows = lanes.map((lane) => ({ lane, texts: textsOf(lane, canvas) }));
  const widths = widthsFor(
    rows.map(({ texts }) => texts),
    canvas.columns,
  );
  return rows.map(({ lane, texts }) => {
    const cells = fields.flatMap(({ name, side }) => {
      const width = widths[name];
      if (width === undefined) return [];
      return [styled(name, cell(texts[name], width, side, canvas.marks.cut), lane, canvas)];
    });
    const text = `   ${sign(lane, canvas)} ${cells.join(' '.repeat(gap))}`.trimEnd();
    // Why it is tried again, or failed; an answer that was taken needs no excuse.
    const trouble = lane.state === 'ok' ? undefined : lane.message;
    return { text, seq: lane.seq, underWay: isUnderWay(lane), trouble };
  });
}

function textsOf(lane: LaneLine, { now }: Canvas): Record<FieldName, string> {
  const elapsedMs = lane.elapsedMs ?? (isUnderWay(lane) ? now - lane.since : undefined);
  const again = lane.attempt > 1 && isUnderWay(lane) ? `, attempt ${lane.attempt}` : '';
  return {
    label: lane.label,
    agent: byAgent(lane),
    state: `${lane.state.replaceAll('_', ' ')}${again}`,
    elapsed: elapsedMs === undefined ? '' : formatElapsed(elapsedMs),
    tokens: lane.usage === undefined ? '' : `${callTokens(lane.usage)} tokens`,
  };
}

function byAgent({ agent, planned }: LaneLine): string {
  if (agent === undefined) return '';
  return planned === undefined || planned === agent ? agent : `${agent} for ${planned}`;
}

/** The width of each column that fits; the label gives way last, down to eight columns. */
function widthsFor(
  rows: readonly Record<FieldName, string>[],
  columns: number,
): Partial<Record<FieldName, number>> {
  const widest = (name: FieldName) => Math.max(0, ...rows.map((row) => stringWidth(row[name])));
  const shown = new Map(
    fields
      .map(
        ({ name }) => [name, name === 'label' ? Math.min(widestLabel, widest(name)) : widest(name)] as const,
      )
      .filter(([, width]) => width > 0),
  );
  const total = () => [...shown.values()].reduce((sum, width) => sum + width + gap, indent - gap);
  const least = Math.min(8, shown.get('label') ?? 0);
  for (const { name } of [...fields].sort((a, b) => a.rank - b.rank)) {
    const label = shown.get('label') ?? 0;
    if (total() - label + least <= columns || name === 'label') break;
    shown.delete(name);
  }
  const label = shown.get('label');
  if (label !== undefined) shown.set('label', Math.max(1, Math.min(label, label - (total() - columns))));
  return Object.fromEntries(shown);
}

function sign(lane: LaneLine, { marks, colors, frame, final }: Canvas): string {
  if (lane.state === 'queued') return colors.dim(marks.queued);
  if (lane.state === 'ok') return colors.green(marks.done);
  if (lane.state === 'stopped' || (final && isUnderWay(lane))) return colors.yellow(marks.stopped);
  if (isUnderWay(lane)) return colors.cyan(marks.turning[frame % marks.turning.length] ?? '');
  return colors.red(marks.failed);
}

function styled(name: FieldName, text: string, lane: LaneLine, { colors }: Canvas): string {
  if (name === 'label') return text;
  if (name !== 'state') return colors.dim(text);
  if (lane.state === 'ok') return colors.green(text);
  if (lane.state === 'retrying' || lane.state === 'stopped') return colors.yellow(text);
  return isUnderWay(lane) || lane.state === 'queued' ? text : colors.red(text);
}

export type Canvas = {
  columns: number;
  now: number;
  /** Counts up while things move; stays 0 without motion. */
  frame: number;
  marks: Marks;
  colors: Colors;
  /** The run is left: nothing moves any more and nothing is shortened to save rows. */
  final: boolean;
  /** Lanes of phases that are over as well. */
  allLanes?: boolean;
};

/** A line on the screen, its event, and its priority when rows run out (the lowest is dropped first). */
export type PictureLine = { text: string; seq: number; keep: number };

/** How much each kind of line is worth on a low screen. */
const keep = {
  past: 1,
  finishedLane: 2,
  note: 3,
  warning: 4,
  lane: 5,
  phase: 6,
  question: 7,
  run: 8,
} as const;

/** The five decisions that a debate has at most. */
const notesWhileLive = 5;

/** The view as lines that fit the width. */
export function pictureOf(view: View, canvas: Canvas): PictureLine[] {
  return [
    ...runLine(view, canvas),
    ...view.phases.flatMap((phase) => phaseLines(view, phase, canvas)),
    ...openQuestions(view, canvas),
    ...endLines(view, canvas),
  ];
}

/** Drops lines that are worth least until the rest fits; one line says how many are not shown. */
export function fitRows(lines: readonly PictureLine[], rows: number, marks: Marks): PictureLine[] {
  const excess = lines.length - rows;
  if (excess <= 0) return [...lines];
  const order = lines
    .map((line, index) => ({ line, index }))
    .sort((a, b) => a.line.keep - b.line.keep || a.index - b.index);
  const gone = new Set(order.slice(0, excess + 1).map(({ index }) => index));
  const first = Math.min(...gone);
  const told = Math.max(...[...gone].map((index) => lines[index]?.seq ?? 0));
  return lines.flatMap((line, index) => {
    if (index === first) return [{ text: ` ${marks.more} ${gone.size} more`, seq: told, keep: keep.run }];
    return gone.has(index) ? [] : [line];
  });
}

function runLine({ run, pause, end, lanes }: View, { columns, now, marks, colors }: Canvas): PictureLine[] {
  if (run === undefined) return [];
  const usages = [...lanes.values()].flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  const tokens = tokensOf(usages);
  const facts = [
    run.workflow,
    formatElapsed((end?.time ?? pause?.time ?? now) - run.started),
    ...(tokens === undefined ? [] : [tokens]),
  ].join(marks.between);
  const sideBySide = columns - stringWidth(facts) - 4;
  const room = sideBySide >= Math.min(24, stringWidth(run.title)) ? sideBySide : columns - 2;
  const title = shorten(run.title, room, marks.cut);
  const shown = room === sideBySide ? `  ${colors.dim(facts)}` : '';
  return [{ text: `${marks.run} ${colors.bold(title)}${shown}`, seq: run.seq, keep: keep.run }];
}

function phaseLines(view: View, phase: PhaseLine, canvas: Canvas): PictureLine[] {
  const { columns, now, marks, colors, final, frame } = canvas;
  const { state, title, seq } = phase;
  const lanes = phase.lanes.flatMap((name) => view.lanes.get(name) ?? []);
  const open = state === 'running' || state === 'stopped';
  const elapsedMs = phase.elapsedMs ?? (state === 'running' ? now - phase.since : undefined);
  const tokens = tokensOf(lanes.flatMap(({ usage }) => (usage === undefined ? [] : [usage])));
  const details = [
    ...(elapsedMs === undefined || state === 'skipped' ? [] : [formatElapsed(elapsedMs)]),
    ...(lanes.length === 0 ? [] : [lanes.length === 1 ? '1 lane' : `${lanes.length} lanes`]),
    ...(tokens === undefined ? [] : [tokens]),
  ];
  const signs = {
    running: colors.cyan(final ? marks.stopped : (marks.turning[frame % marks.turning.length] ?? '')),
    done: colors.green(marks.done),
    skipped: colors.dim(marks.skipped),
    stopped: colors.yellow(marks.stopped),
  };
  const shownTitle = shorten(title, columns - 3, marks.cut);
  let rest = '';
  for (const detail of details) {
    if (stringWidth(shownTitle + rest + marks.between + detail) + 3 > columns) break;
    rest += marks.between + detail;
  }
  const style = state === 'skipped' ? colors.dim : open ? colors.bold : (text: string) => text;
  const text = ` ${signs[state]} ${style(shownTitle)}${colors.dim(rest)}`;
  const shownLanes = open || canvas.allLanes === true ? laneRows(lanes, canvas) : [];
  return [
    { text, seq, keep: open ? keep.phase : keep.past },
    ...shownLanes.flatMap(({ underWay, trouble, ...row }) => [
      { ...row, keep: underWay ? keep.lane : keep.finishedLane },
      ...(trouble === undefined
        ? []
        : [
            {
              text: colors.dim(shorten(`       ${trouble}`, columns, marks.cut)),
              seq: row.seq,
              keep: keep.note,
            },
          ]),
    ]),
    ...noteLines(phase, open, canvas),
  ];
}

/** Notes belong to the running phase; warnings stay. */
function noteLines(phase: PhaseLine, open: boolean, canvas: Canvas): PictureLine[] {
  const { columns, marks, colors, final } = canvas;
  const shown = phase.notes.filter(({ kind }) => final || open || kind === 'warning');
  const line = ({ kind, text, seq }: NoteLine): PictureLine[] => {
    const style = kind === 'warning' ? colors.yellow : colors.dim;
    const parts = final ? wrap(text, columns - 5) : [shorten(text, columns - 5, marks.cut)];
    return parts.map((part, index) => ({
      text: style(`   ${index === 0 ? marks[kind] : ' '} ${part}`),
      seq,
      keep: keep[kind],
    }));
  };
  return (final ? shown : shown.slice(-notesWhileLive)).flatMap(line);
}

function openQuestions({ questions, run }: View, canvas: Canvas): PictureLine[] {
  return questions.flatMap(({ question, seq }) =>
    questionLines(question, run?.id ?? 'latest', canvas).map((text) => ({ text, seq, keep: keep.question })),
  );
}

function endLines({ pause, end }: View, { columns, marks, colors }: Canvas): PictureLine[] {
  if (end !== undefined) {
    const good = end.status === 'done';
    const sign = good ? colors.green(marks.done) : colors.red(marks.failed);
    const text = end.message === undefined ? end.status : `${end.status}: ${end.message}`;
    return wrap(text, columns - 3).map((part, index) => ({
      text: ` ${index === 0 ? sign : ' '} ${good ? part : colors.bold(part)}`,
      seq: end.seq,
      keep: keep.run,
    }));
  }
  if (pause === undefined) return [];
  const text =
    pause.reason === 'question' ? 'waiting for an answer' : 'stopped; everything finished so far is saved';
  return wrap(text, columns - 3).map((part, index) => ({
    text: ` ${index === 0 ? colors.yellow(marks.stopped) : ' '} ${part}`,
    seq: pause.seq,
    keep: keep.run,
  }));
}
