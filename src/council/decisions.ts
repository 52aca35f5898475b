import { type ContestedDecision, type Impact, impacts } from '../base/schema/judgements/design.ts';
import { tidyLine } from '../base/schema/primitives.ts';
import { readBlocks, renderBlock, renderBlocks } from '../base/text/labelled-block.ts';

/** A contested decision with its rank; `number` is the N of DECISION_N everywhere (C-23). */
export type NumberedDecision = ContestedDecision & { number: number };

export function decisionId(decision: { number: number }): string {
  return `DECISION_${decision.number}`;
}

/** What a debate is about, for those who watch it. */
export function describeContest(decision: NumberedDecision): string {
  const { title, chosen, alternative } = decision;
  return tidyLine(`⏳ debating ${decisionId(decision)}: ${title} — ${chosen}, or ${alternative}?`);
}

/** L-454: impact first, then how evenly the sketches are split, then order of appearance; numbered from 1. */
export function rankDecisions(contested: readonly ContestedDecision[]): NumberedDecision[] {
  return contested
    .map((decision, index) => ({ decision, index }))
    .sort(
      (a, b) =>
        impacts.indexOf(a.decision.impact) - impacts.indexOf(b.decision.impact) ||
        disagreement(b.decision) - disagreement(a.decision) ||
        a.index - b.index,
    )
    .map(({ decision }, index) => ({ ...decision, number: index + 1 }));
}

/** The size of the smaller side, then of both: 2 against 2 is more contested than 3 against 1. */
function disagreement({ chosenSeats, alternativeSeats }: ContestedDecision): number {
  const [chosen, other] = [new Set(chosenSeats).size, new Set(alternativeSeats).size];
  return Math.min(chosen, other) * 1000 + chosen + other;
}

/** L-455: the whole content of the file when no sketches diverged. */
export const noContestedDecisions = 'NO_CONTESTED_DECISIONS';

const labels = ['Chosen', 'Alternative', 'Tension', 'Impact', 'Affected files'] as const;
const noFiles = '(none)';

/** L-453: `contested-decisions.md`. */
export function renderDecisions(decisions: readonly NumberedDecision[]): string {
  if (decisions.length === 0) return noContestedDecisions;
  return renderBlocks(decisions.map(renderDecision));
}

/** One decision as the file and the debate prompts show it. */
export function renderDecision(decision: NumberedDecision): string {
  return renderBlock(
    `${decisionId(decision)}: ${decision.title}`,
    [
      ['Chosen', decision.chosen],
      ['Alternative', decision.alternative],
      ['Tension', decision.tension],
      ['Impact', decision.impact],
      ['Affected files', decision.affectedFiles.join(', ') || noFiles],
    ],
    'bullet',
  );
}

export type DecisionsReading =
  | { ok: true; decisions: NumberedDecision[] }
  | { ok: false; problems: string[] };

/** L-457: reads the file strictly; anything but a complete, ranked list or the sentinel is a problem, never "no decisions". `ranked: false` accepts any order. */
export function readDecisions(text: string, { ranked = true } = {}): DecisionsReading {
  if (text.trim() === noContestedDecisions) return { ok: true, decisions: [] };
  const blocks = readBlocks(text, /^DECISION_(\d{1,3}):\s*(.+)$/i, labels);
  if (blocks.length === 0) {
    return { ok: false, problems: [`neither ${noContestedDecisions} nor any "### DECISION_1: title" block`] };
  }
  const problems: string[] = [];
  const decisions = blocks.map((block, index): NumberedDecision => {
    const number = Number(block.heading[0]);
    const where = `DECISION_${block.heading[0]}`;
    if (number !== index + 1)
      problems.push(`${where}: expected DECISION_${index + 1}, numbering runs from 1 without gaps`);
    for (const label of labels) {
      if (!block.fields.get(label)) problems.push(`${where}: ${label} is missing`);
    }
    for (const label of block.repeated) problems.push(`${where}: ${label} comes twice`);
    const impact = impactOf(block.fields.get('Impact') ?? '');
    if (impact === undefined && block.fields.get('Impact')) {
      problems.push(`${where}: Impact is one of ${impacts.join(', ')}`);
    }
    return {
      number,
      title: block.heading[1] ?? '',
      chosen: block.fields.get('Chosen') ?? '',
      alternative: block.fields.get('Alternative') ?? '',
      tension: block.fields.get('Tension') ?? '',
      impact: impact ?? 'Low',
      affectedFiles: readFiles(block.fields.get('Affected files') ?? ''),
      chosenSeats: [],
      alternativeSeats: [],
    };
  });
  if (ranked && !isRanked(decisions)) problems.push('decisions are not ordered by impact, High first');
  return problems.length === 0 ? { ok: true, decisions } : { ok: false, problems };
}

function impactOf(text: string): Impact | undefined {
  return impacts.find((impact) => impact.toLowerCase() === text.toLowerCase());
}

function readFiles(text: string): string[] {
  return text
    .split(',')
    .map((file) => file.trim().replaceAll('`', ''))
    .filter((file) => file !== '' && file !== noFiles);
}

function isRanked(decisions: readonly NumberedDecision[]): boolean {
  const ranks = decisions.map(({ impact }) => impacts.indexOf(impact));
  return ranks.every((rank, index) => index === 0 || rank >= (ranks[index - 1] ?? 0));
}
