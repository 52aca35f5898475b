import { type Document, type Heading, lineText } from '../../base/markdown/document.ts';
import { type Condition, parseCondition } from './condition.ts';
import { findHeading } from './phase-file.ts';

export type FlowEdge = { from: number | 'input'; to: number; variables: readonly string[]; line: number };

export type FlowName = { phase: number; name: string; kind: 'variable' | 'file'; line: number };

export type FlowCondition = {
  /** Phase the condition guards, when the flow says so. */
  phase: number | undefined;
  expression: string;
  condition: Condition | undefined;
  line: number;
};

export type DataFlow = {
  edges: readonly FlowEdge[];
  outputs: readonly FlowName[];
  inputs: readonly FlowName[];
  conditions: readonly FlowCondition[];
  /** "Skip to Phase N" branches. */
  skips: readonly { from: number | undefined; target: number; line: number }[];
};

const lead = String.raw`^[\s│├└─┬┼╰╭↓→▼|>*+\-]*`;
const phaseLine = new RegExp(`${lead}(?:#+\\s*)?\\**Phase\\s+(\\d+(?:\\.\\d+)?)\\b(?!\\s*(?:→|->))`, 'i');
const arrowLine = new RegExp(
  `${lead}(?:phase\\s*(\\d+)|(input))\\s*(?:→|->|=>)\\s*phase\\s*(\\d+)\\s*[:：]\\s*(.+)$`,
  'i',
);
const listLine = new RegExp(`${lead}\\**(outputs?|inputs?)\\**\\s*[:：]\\s*(.+)$`, 'i');
const conditionLine = /\bcondition(?:al)?\**\s*[:：—–-]\s*(?:if\s+)?`?([^`\n]+?)`?\s*\)?\s*$/i;
const ifLine = new RegExp(
  `${lead}(?:\\(?conditional[,;:]?\\s*)?if\\s+\`?([^\`\\n→:?]+?)\`?\\s*(?:[→:?)]|then\\b|$)`,
  'i',
);
const skip = /\bskip\s+(?:directly\s+|ahead\s+)?to\s+phase\s+(\d+(?:\.\d+)?)/gi;

/** Edges, inputs, outputs, conditions and skip branches that SKILL.md writes in its flow sections. */
export function readDataFlow(document: Document, sections = flowSections): DataFlow {
  const edges: FlowEdge[] = [];
  const outputs: FlowName[] = [];
  const inputs: FlowName[] = [];
  const conditions: FlowCondition[] = [];
  const skips: { from: number | undefined; target: number; line: number }[] = [];
  for (const heading of sections(document)) {
    let phase: number | undefined;
    for (let line = heading.line + 1; line < heading.endLine; line += 1) {
      const text = lineText(document, line);
      if (text.length > 2_000) continue;
      const arrow = arrowLine.exec(text);
      if (arrow !== null) {
        const from = arrow[2] !== undefined ? 'input' : Number(arrow[1]);
        edges.push({
          from,
          to: Number(arrow[3]),
          variables: readNames(arrow[4] ?? '').map(({ name }) => name),
          line,
        });
        continue;
      }
      const named = phaseLine.exec(text);
      if (named?.[1] !== undefined) phase = Number(named[1]);
      const list = listLine.exec(text);
      if (list !== null && phase !== undefined) {
        const names = readNames(list[2] ?? '').map((item) => ({ ...item, phase: phase ?? 0, line }));
        (/^o/i.test(list[1] ?? '') ? outputs : inputs).push(...names);
      }
      const expression = conditionLine.exec(text)?.[1] ?? ifLine.exec(text)?.[1];
      if (expression !== undefined) {
        const reading = parseCondition(expression);
        const comparing =
          reading.ok && reading.condition.kind !== 'variable' && reading.condition.kind !== 'literal';
        if (comparing || (reading.ok && conditionLine.test(text))) {
          conditions.push({ phase, expression, condition: reading.condition, line });
        }
      }
      for (const match of text.matchAll(skip)) skips.push({ from: phase, target: Number(match[1]), line });
    }
    edges.push(...tableEdges(document, heading));
  }
  return { edges, outputs, inputs, conditions, skips };
}

type FlowSection = Pick<Heading, 'line' | 'endLine'>;

/** The flow of a package; what a conversion kept of its source below "Original …" counts phases in its own way. */
function flowSections(document: Document): FlowSection[] {
  return sectionsNamed(document, [/^execution flow$/i, /^data flow$/i]).map(({ line, endLine }) => {
    const kept = document.headings.find(
      (heading) =>
        heading.line > line &&
        heading.line < endLine &&
        /^Original (?:Execution|Data) Flow$/.test(heading.title),
    );
    return { line, endLine: kept?.line ?? endLine };
  });
}

/** The flow of a command before it is converted. */
export function sourceFlowSections(document: Document): FlowSection[] {
  const execution = /^execution (?:flow|process)(?: (?:diagram|summary|overview))?$/i;
  return sectionsNamed(document, [execution, /^data flow$/i]);
}

function sectionsNamed(document: Document, names: readonly RegExp[]): Heading[] {
  const found = names.flatMap((wanted) => findHeading(document, wanted) ?? []);
  return found.filter(
    (heading) =>
      !found.some((other) => other !== heading && other.line < heading.line && heading.line < other.endLine),
  );
}

/** `| From | To | Variables |`. */
function tableEdges(document: Document, heading: FlowSection): FlowEdge[] {
  return document.tables
    .filter(({ line, header }) => {
      const inside = line > heading.line && line < heading.endLine;
      return inside && /^from$/i.test(header[0] ?? '') && /^to$/i.test(header[1] ?? '');
    })
    .flatMap(({ rows }) =>
      rows.flatMap(({ line, cells }): FlowEdge[] => {
        const from = nodeOf(cells[0] ?? '');
        const to = nodeOf(cells[1] ?? '');
        if (from === undefined || typeof to !== 'number') return [];
        return [{ from, to, variables: readNames(cells[2] ?? '').map(({ name }) => name), line }];
      }),
    );
}

function nodeOf(cell: string): number | 'input' | undefined {
  if (/^`?input`?$/i.test(cell)) return 'input';
  const number = /^`?phase\s*(\d+(?:\.\d+)?)`?/i.exec(cell)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Names in `sessionId, contextPath (why) + plan.json`; a piece of several words is prose and names nothing. */
export function readNames(list: string): { name: string; kind: 'variable' | 'file' }[] {
  const ticked = [...list.matchAll(/`([^`]{1,200})`/g)].map((match) => match[1] ?? '');
  const pieces = ticked.length > 0 ? ticked : list.replace(/\([^)]*\)/g, '').split(/[,+;、，]|\band\b/);
  return pieces.flatMap((piece): { name: string; kind: 'variable' | 'file' }[] => {
    const name = piece.trim().replace(/[.。]$/, '');
    const kind = kindOfName(name);
    return kind === undefined ? [] : [{ name: kind === 'variable' ? name.replace('[]', '') : name, kind }];
  });
}

/** What flows between phases has the name of a variable or of a file; nothing else counts. */
export function kindOfName(name: string): 'variable' | 'file' | undefined {
  if (/^[A-Za-z_$][\w$]*(?:\[\])?$/.test(name)) return 'variable';
  return /^[\w./{}*$-]+\.[a-z]{1,5}$/i.test(name) ? 'file' : undefined;
}
