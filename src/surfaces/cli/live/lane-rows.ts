import stringWidth from 'string-width';
import { formatElapsed } from '../../../base/text/format.ts';
import { callTokens, isUnderWay, type LaneLine } from '../../../service/run-view.ts';
import { cell } from './fit.ts';
import type { Canvas } from './picture.ts';

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
    agent: lane.agent ?? '',
    state: `${lane.state.replaceAll('_', ' ')}${again}`,
    elapsed: elapsedMs === undefined ? '' : formatElapsed(elapsedMs),
    tokens: lane.usage === undefined ? '' : `${callTokens(lane.usage)} tokens`,
  };
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
