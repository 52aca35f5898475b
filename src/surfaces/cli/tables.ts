import { headline, shortCount, untrustedLine } from '../../base/text/strings.ts';
import type { Terminal } from '../../service/command.ts';
import type { CostList, CostListRow } from '../../service/costs.ts';
import type { RunPage, RunSummary } from '../../service/runs.ts';
import { pageWidth, wrapLine } from './help.ts';

type TableOptions = {
  /** Which columns are aligned to the right. */
  right?: readonly boolean[];
  gap?: number;
  /** What a line may take; a table that is wider leaves columns out. */
  width?: number;
  /** Columns that can be left out, in the order in which they go. */
  spare?: readonly number[];
  /** The last column can be cut down to this. */
  lastAtLeast?: number;
};

/** Lines of a table whose columns are as wide as their widest cell. */
function textTable(
  rows: readonly (readonly string[])[],
  { right = [], gap = 2, width = Number.POSITIVE_INFINITY, spare = [], lastAtLeast }: TableOptions = {},
): string[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => (row[index] ?? '').length)));
  let shown = widths.map((_, index) => index);
  const needed = () =>
    shown.reduce((sum, index) => {
      const own = widths[index] ?? 0;
      const cut = index === widths.length - 1 ? (lastAtLeast ?? own) : own;
      return sum + Math.min(own, cut) + gap;
    }, -gap);
  for (const column of spare) if (needed() > width) shown = shown.filter((index) => index !== column);
  return rows.map((row) =>
    shown
      .map((index) => {
        const text = row[index] ?? '';
        const own = widths[index] ?? 0;
        return right[index] === true ? text.padStart(own) : text.padEnd(own);
      })
      .join(' '.repeat(gap))
      .trimEnd(),
  );
}

/** How tables are shown on a terminal: so wide, and longer texts cut. */
type Fitting = { width: number; cut: (text: string, columns: number) => string };

/** Nothing for a pipe: it has no width, gets everything, and does not load the table of characters. */
export async function fittingFor(stdout: Terminal['stdout']): Promise<Fitting | undefined> {
  if (stdout.isTTY !== true) return undefined;
  const { shorten } = await import('./live/fit.ts');
  return { width: pageWidth(stdout) - 1, cut: shorten };
}

/**
 * A table for people. On a terminal ids are short, numbers disappear where they do not fit, and titles are cut. What is not in
 * it is counted below.
 */
export function renderRuns(
  { runs, total }: Pick<RunPage, 'runs' | 'total'>,
  now: number,
  fitting?: Fitting,
): string {
  if (runs.length === 0) return 'No runs yet. Start one with `charrette design "…"`.\n';
  const short = fitting === undefined ? undefined : shortIds(runs.map(({ run }) => run));
  const nameOf = (run: string) => short?.get(run) ?? run;
  const rows = runs.map((run) => [
    nameOf(run.run),
    run.status,
    describeAge(run.created, now),
    run.workflow,
    `${run.calls}`,
    describeTokens(run),
    untrustedLine(headline(run.title)),
  ]);
  const head = ['run', 'status', 'age', 'workflow', 'calls', 'tokens', 'title'];
  const right = [false, false, true, false, true, true];
  const room = fitting === undefined ? {} : { width: fitting.width, spare: [4, 5], lastAtLeast: 30 };
  const waiting = runs.flatMap(({ run, waits }) =>
    waits === undefined ? [] : [`${nameOf(run)} waits: ${untrustedLine(waits)}`],
  );
  const more = total - runs.length;
  const rest = more > 0 ? [`${more} more: --limit N, or --all`] : [];
  const lines = [...textTable([head, ...rows], { right, ...room }), ...waiting, ...rest];
  return `${lines.map((line) => fitting?.cut(line, fitting.width) ?? line).join('\n')}\n`;
}

/** How much of the end of an id usually names one run only. */
const shortEnd = 8;

/** The end of each id that no other one of the list has; every command takes a run by such a part. */
export function shortIds(ids: readonly string[]): Map<string, string> {
  const short = new Map<string, string>();
  let open = ids;
  for (let length = shortEnd; open.length > 0; length += 1) {
    const ends = Map.groupBy(open, (id) => id.slice(-length));
    for (const [end, [id, other]] of ends)
      if (id !== undefined && (other === undefined || id === end)) short.set(id, end);
    open = open.filter((id) => !short.has(id));
  }
  return short;
}

function describeTokens({ calls, callsUnknown, tokens }: RunSummary): string {
  if (callsUnknown === 0) return shortCount(tokens);
  return callsUnknown === calls ? '?' : `${shortCount(tokens)}+?`;
}

function describeAge(created: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(created)) / 60_000);
  if (Number.isNaN(minutes)) return '';
  if (minutes < 60) return `${minutes}m ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)}h ago`;
  return `${Math.floor(minutes / 1440)}d ago`;
}

/** On a narrow terminal these go first: the number of calls per kind of figure, then calls, then tokens; money stays. */
const spare = [2, 3, 4, 9, 1, 6, 5];
const longestName = 20;

/** Costs as a table, with separate columns for measured, estimated and unknown amounts. */
export function renderCosts({ by, rows, total }: CostList, fitting?: Fitting): string {
  if (rows.length === 0) return 'No agent calls yet.\n';
  const head = [
    '',
    'calls',
    'measured',
    'estimated',
    'unknown',
    'tokens in',
    'tokens out',
    '$ measured',
    '$ estimated',
    'no price',
  ];
  const ids = by === 'run' && fitting !== undefined ? shortIds(rows.map(({ name }) => name)) : undefined;
  const nameOf = (name: string) => ids?.get(name) ?? fitting?.cut(name, longestName) ?? name;
  const line = (row: CostListRow) => [
    nameOf(row.name),
    String(row.calls),
    String(row.basis.measured),
    String(row.basis.estimated),
    String(row.basis.unknown),
    grouped(row.inputTokens),
    grouped(row.outputTokens),
    money(row.usdMeasured),
    money(row.usdEstimated),
    String(row.callsWithoutPrice),
  ];
  const table = textTable([[by, ...head.slice(1)], ...rows.map(line), line(total)], {
    right: head.map((_, index) => index > 0),
    ...(fitting === undefined ? {} : { width: fitting.width, spare }),
  });
  const notes = [
    ...(total.basis.unknown > 0
      ? [
          `${total.basis.unknown} of ${total.calls} calls did not say what they used; they are not in the sums.`,
        ]
      : []),
    ...(total.usdEstimated > 0
      ? ['Estimated money comes from list prices; set your own under `prices`.']
      : []),
  ];
  const wrapped = notes.flatMap((note) => (fitting === undefined ? [note] : wrapLine(note, fitting.width)));
  return `${[...table, ...(notes.length === 0 ? [] : ['', ...wrapped])].join('\n')}\n`;
}

function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ' ');
}

function money(usd: number): string {
  return usd === 0 ? '-' : usd.toFixed(usd < 1 ? 4 : 2);
}
