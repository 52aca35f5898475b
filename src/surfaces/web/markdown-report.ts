import { formatElapsed, headline } from '../../base/text/strings.ts';
import { ruleBasedMark } from '../../council/rule-based/wording.ts';
import type { RunEvent } from '../../engine/event.ts';
import {
  type CostRow,
  costsBy,
  describeMoney,
  describeTokens,
  type LedgerEntry,
  type Price,
  perAcceptedFinding,
} from '../../engine/ledger.ts';
import type { RunRecord } from '../../engine/run-record.ts';
import { diagramBody } from '../../plan/diagram.ts';
import { noteText, phaseTitle } from '../../service/event-lines.ts';
import type { DocumentView } from './view/documents.ts';

export type ReportSource = {
  record: RunRecord;
  events: readonly RunEvent[];
  ledger: readonly LedgerEntry[];
  artifacts: Readonly<Record<string, string>>;
  /** The result of workflows other than a design. */
  documents: readonly DocumentView[];
  /** Artifacts that are too large for the report. */
  tooLarge: readonly string[];
  prices?: Readonly<Record<string, Price>>;
};

/** The artifacts of a design, each under its heading. */
const designSections: readonly (readonly [
  title: string,
  artifact: string,
  shape?: (text: string) => string,
])[] = [
  ['Plan', 'plan.txt'],
  ['Architecture', 'architecture-diagram.md', diagramBody],
  ['Synthesis', 'approach-synthesis.txt'],
  ['Contested decisions', 'dialectic-resolutions.md'],
  ['Votes', 'voting-tally.md', (text) => text.replace(/^## Voting Tally\n+/, '')],
  ['Not implemented', 'rejected-findings.md'],
  ['Out of scope', 'oos.md'],
];

const findings = 'accepted-plan-findings.md';

/** The artifacts that the report of a design is made from. */
export const reportedArtifacts: readonly string[] = [findings, ...designSections.map(([, name]) => name)];

/** How many findings the vote accepted into the plan. */
export function acceptedCount(artifacts: ReportSource['artifacts']): number {
  return artifacts[findings]?.match(/^### FINDING_/gm)?.length ?? 0;
}

/** The whole run on one page: result, how it came about, who said what, what it cost. */
export function markdownReport(source: ReportSource): string {
  const { record, events, ledger, artifacts, documents, tooLarge, prices } = source;
  const title = headline(record.title);
  const accepted = acceptedCount(artifacts);
  const [total] = costsBy(ledger, () => 'all calls', prices);
  return [
    `# ${title}`,
    '',
    `- Run: \`${record.run}\` (${record.workflow}), ${record.status}${record.exit === undefined ? '' : `, exit ${record.exit}`}`,
    `- Made: ${record.created}${record.ended === undefined ? '' : `, ended ${record.ended}`}`,
    `- Base commit: ${record.baseCommit ?? 'none'}`,
    ...attribution(ledger),
    ...(total === undefined ? [] : [`- Cost: ${describeMoney(total)} in ${total.calls} calls`]),
    ...(total === undefined || accepted === 0
      ? []
      : [`- Per accepted finding: ${describePerFinding(perAcceptedFinding(total, accepted))}`]),
    ...(tooLarge.length === 0 ? [] : [`- Left out, too large for this page: ${tooLarge.join(', ')}`]),
    ...warnings(events),
    ...section('Asked for', title === record.title ? '' : lowered(record.title)),
    ...documents.flatMap(({ title, text }) => section(title, lowered(text))),
    ...designSections.flatMap(([title, name, shape = (text) => text]) =>
      section(title, shape(artifacts[name] ?? '')),
    ),
    ...section('What happened', documents.length === 0 ? '' : story(events)),
    ...section('Lanes', laneTable(events)),
    ...section('Cost by phase', costTable(costsBy(ledger, ({ phase }) => phase, prices))),
    ...section('Cost by seat', costTable(costsBy(ledger, ({ seat, agent }) => `${seat} (${agent})`, prices))),
    '',
  ].join('\n');
}

/** Who had a say; a run without any model says so instead. */
function attribution(ledger: readonly LedgerEntry[]): string[] {
  const agents = [...new Set(ledger.map(({ agent, family }) => `${agent} (${family})`))];
  if (agents.length === 0) return [];
  const made = ledger.every(({ family }) => family === 'static') ? ruleBasedMark : agents.join(', ');
  return [`- Made by: ${made}`];
}

function describePerFinding(row: CostRow): string {
  const { calls, inputTokens, outputTokens } = row;
  return `${describeMoney(row)}, ${calls} calls, ${describeTokens(inputTokens + outputTokens, row)} tokens`;
}

function warnings(events: readonly RunEvent[]): string[] {
  const found = events.flatMap((event) => (event.type === 'warning' ? [event.text] : []));
  return found.length === 0
    ? []
    : ['', '## Warnings', '', ...found.map((text) => `- ${text.replace(/\n/g, ' ')}`)];
}

function section(title: string, body: string | undefined): string[] {
  return body === undefined || body.trim() === '' ? [] : ['', `## ${title}`, '', body.trimEnd()];
}

/** Headings of a document are one level below that of its section. */
function lowered(text: string): string {
  let fence = '';
  return text
    .split('\n')
    .map((line) => {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
      if (fence === '') fence = mark;
      else if (mark.startsWith(fence)) fence = '';
      return fence === '' && /^#{1,4} /.test(line) && mark === ''
        ? `${line.startsWith('# ') ? '##' : '#'}${line}`
        : line;
    })
    .join('\n');
}

/** The steps of the run as it told them, each with its notes. */
function story(events: readonly RunEvent[]): string {
  const told = new Set<string>();
  const steps = new Map<string, { title: string; notes: string[] }>();
  for (const event of events) {
    if (event.type === 'phase-start' || event.type === 'phase-end' || event.type === 'phase-skip') {
      const title = phaseTitle(event.line ?? '');
      const step = steps.get(event.phase) ?? { title: event.phase, notes: [] };
      steps.set(event.phase, { ...step, title: title === '' ? step.title : title });
    } else if (event.type === 'note') {
      const text = noteText(event.text);
      const step = steps.get(event.phase ?? '') ?? { title: event.phase ?? '', notes: [] };
      if (text !== '' && !told.has(text)) step.notes.push(text);
      told.add(text);
      steps.set(event.phase ?? '', step);
    }
  }
  return [...steps.values()]
    .flatMap(({ title, notes }) => [`- ${title}`, ...notes.map((note) => `  - ${note}`)])
    .join('\n');
}

function laneTable(events: readonly RunEvent[]): string {
  const rows = events.flatMap((event) =>
    event.type === 'lane-end'
      ? [`| ${event.lane} | ${event.agent} | ${event.kind} | ${formatElapsed(event.elapsedMs)} |`]
      : [],
  );
  return rows.length === 0
    ? ''
    : ['| Lane | Agent | Result | Time |', '|---|---|---|---|', ...rows].join('\n');
}

function costTable(rows: readonly CostRow[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map((row) => {
    const tokens = [row.inputTokens, row.outputTokens].map((count) => describeTokens(count, row));
    return `| ${row.name} | ${row.calls} | ${tokens.join(' | ')} | ${describeMoney(row)} |`;
  });
  return ['| | Calls | Tokens in | Tokens out | Money |', '|---|---|---|---|---|', ...lines].join('\n');
}
