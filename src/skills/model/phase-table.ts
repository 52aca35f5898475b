import type { Document, Table } from '../../base/markdown/document.ts';
import { literalPattern } from '../../base/text/strings.ts';

export type PhaseRow = {
  line: number;
  number: number | undefined;
  /** `phases/NN-x.md` as the row names it. */
  target: string | undefined;
  purpose: string;
  /** Text of the Compact column, undefined when the table has none. */
  compact: string | undefined;
  /** S-081: 🔄 or the word sentinel, in whatever language around it. */
  guarded: boolean;
};

type TableOfPhases = { table: Table; compactColumn: number; rows: readonly PhaseRow[] };

/** Table and column are those of the first part; the rows are those of all parts. */
export type PhaseTable = TableOfPhases & {
  /** The Markdown tables with rows of phases that no table before them lists. */
  parts: readonly TableOfPhases[];
};

export type RoutingRow = { line: number; trigger: string; mode: string; targets: readonly string[] };

export type RoutingTable = { table: Table; rows: readonly RoutingRow[] };

/** A placeholder such as `phases/{name}.md` names no file. */
const phasePath = /phases\/[^\s)\]`"'|,;{}<>$*]{1,200}?\.md/g;

/**
 * The table of phases: one headed "Phase" with a document column, or else any table most of whose rows name files of
 * `phases/`.
 */
export function readPhaseTable(document: Document): PhaseTable | undefined {
  const named = document.tables.find(({ header }) => {
    const [first = '', ...rest] = header.map(plain);
    return (
      /^(?:#|phase|阶段|no\.?)$/i.test(first) &&
      rest.some((cell) => /document|file|文件|文档|path/i.test(cell))
    );
  });
  if (named !== undefined) return whole([readRows(named)]);
  // Some write one small table a phase, or mix phases with other documents; their rows together are the table.
  const others = document.tables
    .filter(({ header }) => !/^trigger/i.test(plain(header[0] ?? '')))
    .map(readRows)
    .map((other) => ({ ...other, rows: other.rows.filter(({ target }) => target !== undefined) }));
  return whole(others.filter(({ rows }) => rows.length > 0));
}

function whole(tables: readonly TableOfPhases[]): PhaseTable | undefined {
  const [first] = tables;
  if (first === undefined) return undefined;
  const listed = new Set<string | undefined>();
  const parts = tables.filter(({ rows }, index) => {
    const isNew = index === 0 || rows.some(({ target }) => !listed.has(target));
    for (const { target } of rows) listed.add(target);
    return isNew;
  });
  return { ...first, rows: tables.flatMap(({ rows }) => rows), parts };
}

function readRows(table: Table): TableOfPhases {
  const header = table.header.map(plain);
  const compactColumn = header.findIndex((cell) => /^compact\b/i.test(cell));
  const purposeColumn = header.findIndex((cell) => /purpose|description|用途|说明/i.test(cell));
  const rows = table.rows.map(({ line, cells }): PhaseRow => {
    const target = cells.join(' | ').match(phasePath)?.[0];
    const first = /^[^\d/]*(\d+(?:\.\d+)?)/.exec(plain(cells[0] ?? ''))?.[1];
    const number = first ?? /phases\/(\d+(?:\.\d+)?)/.exec(target ?? '')?.[1];
    const compact = compactColumn < 0 ? undefined : (cells[compactColumn] ?? '');
    return {
      line,
      number: number === undefined ? undefined : Number(number),
      target,
      purpose: cells[purposeColumn] ?? '',
      compact,
      guarded: /🔄|sentinel/iu.test(compact ?? ''),
    };
  });
  return { table, compactColumn, rows };
}

/** The routing table of a router: triggers in the first column, phase documents in another. */
export function readRoutingTable(document: Document): RoutingTable | undefined {
  for (const table of document.tables) {
    const header = table.header.map(plain);
    if (!/^trigger/i.test(header[0] ?? '')) continue;
    const modeColumn = header.findIndex((cell) => /^mode$/i.test(cell));
    if (modeColumn < 0) continue;
    const rows = table.rows.map(({ line, cells }) => ({
      line,
      trigger: plain(cells[0] ?? '').replace(/^["“]|["”]$/g, ''),
      mode: plain(cells[modeColumn] ?? ''),
      targets: [...new Set(cells.join(' | ').match(phasePath) ?? [])],
    }));
    return { table, rows };
  }
  return undefined;
}

/** A table that sends modes to phases without triggers: a Mode or Route column, and rows that name two phases or more. */
export function routesByTable({ tables }: Document, slugs: readonly string[]): boolean {
  return tables.some(({ header, rows }) => {
    const [first = '', ...rest] = header.map(plain);
    if (/^(?:#|phase|阶段|no\.?)$/i.test(first)) return false;
    if (![first, ...rest].some((cell) => /(?:^|\s)(?:mode|route)$/i.test(cell))) return false;
    const text = rows.map(({ cells }) => ` ${cells.join(' ')} `).join('\n');
    return (
      slugs.filter((slug) => new RegExp(`[\\s/\`-]${literalPattern(slug)}(?:\\.md)?[\\s)\`\\]]`).test(text))
        .length > 1
    );
  });
}

function plain(cell: string): string {
  return cell.replace(/[`*]/g, '').trim();
}
