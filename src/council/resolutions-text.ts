import { tidyLine } from '../base/schema/primitives.ts';
import {
  type Block,
  type Field,
  readBlocks,
  renderBlock,
  renderBlocks,
} from '../base/text/labelled-block.ts';
import { decisionId } from './decisions.ts';
import { dispositions, type Resolution, type WhyLabel, whyLabels } from './resolutions.ts';

const labels = [
  'Resolution',
  'Disposition',
  'Vote tally',
  'Thesis summary',
  'Antithesis summary',
  ...whyLabels,
] as const;

/** L-530: `dialectic-resolutions.md`; empty when there was no contested decision (C-08). */
export function renderResolutions(resolutions: readonly Resolution[]): string {
  return renderBlocks(
    resolutions.map((each) => {
      const tally: Field[] = each.tally ? [['Vote tally', tallyText(each.tally)]] : [];
      return renderBlock(
        `${decisionId(each)}: ${each.title}`,
        [
          ['Resolution', each.resolution],
          ['Disposition', each.disposition],
          ...tally,
          ['Thesis summary', each.thesisSummary],
          ['Antithesis summary', each.antithesisSummary],
          [each.why.label, each.why.text],
        ],
        'plain',
      );
    }),
  );
}

/** The voted resolutions with their votes, for plan and prompts. */
export function renderVoted(resolutions: readonly Resolution[]): string {
  return renderBlocks(
    votedOnly(resolutions).map(({ number, title, resolution, tally }) =>
      renderBlock(
        `${decisionId({ number })}: ${title}`,
        [
          ['Resolution', resolution],
          ['Vote tally', tallyText(tally)],
        ],
        'bullet',
      ),
    ),
  ).trimEnd();
}

/** One line for each voted resolution, for the end of the run. */
export function votedLines(resolutions: readonly Resolution[]): string[] {
  return votedOnly(resolutions).map(
    ({ number, title, resolution, tally }) =>
      `${decisionId({ number })} (${tidyLine(title)}): ${tidyLine(resolution)} — ${tallyText(tally)}`,
  );
}

function votedOnly(resolutions: readonly Resolution[]) {
  return resolutions.flatMap(({ tally, ...each }) => (tally === undefined ? [] : [{ ...each, tally }]));
}

function tallyText({ thesis, antithesis }: NonNullable<Resolution['tally']>): string {
  return `THESIS=${thesis}, ANTI_THESIS=${antithesis}`;
}

export type ResolutionsReading = { ok: true; resolutions: Resolution[] } | { ok: false; problems: string[] };

/** L-532: accepts exactly the field names and dispositions of the format, one why field, a tally only on voted entries. */
export function readResolutions(text: string): ResolutionsReading {
  const problems: string[] = [];
  const blocks = readBlocks(text, /^DECISION_(\d{1,3}):\s*(.+)$/, labels);
  if (blocks.length === 0 && text.trim() !== '') problems.push('no "### DECISION_N: title" block');
  const resolutions = blocks.flatMap((block) => readOne(block, problems) ?? []);
  return problems.length === 0 ? { ok: true, resolutions } : { ok: false, problems };
}

function readOne({ heading, fields, repeated }: Block, problems: string[]): Resolution | undefined {
  const where = `DECISION_${heading[0]}`;
  const before = problems.length;
  for (const label of repeated) problems.push(`${where}: ${label} comes twice`);
  const disposition = dispositions.find((each) => each === fields.get('Disposition'));
  if (!disposition) problems.push(`${where}: Disposition is one of ${dispositions.join(', ')}`);
  if (!fields.get('Resolution')) problems.push(`${where}: Resolution is missing`);
  const whys = whyLabels.filter((label) => fields.has(label));
  if (whys.length !== 1) problems.push(`${where}: ${whys.length} why fields, exactly one is needed`);
  const tally = readTally(fields.get('Vote tally'));
  if ((disposition === 'voted') !== (tally !== undefined)) {
    problems.push(`${where}: a vote tally belongs to voted entries and only to them`);
  }
  const label = whys[0];
  if (problems.length > before || !disposition || !label) return undefined;
  return {
    number: Number(heading[0]),
    title: heading[1] ?? '',
    resolution: fields.get('Resolution') ?? '',
    disposition,
    ...(tally ? { tally } : {}),
    thesisSummary: fields.get('Thesis summary') ?? '',
    antithesisSummary: fields.get('Antithesis summary') ?? '',
    why: { label: label satisfies WhyLabel, text: fields.get(label) ?? '' },
  };
}

function readTally(text: string | undefined): Resolution['tally'] {
  const match = /^THESIS=(\d+),\s*ANTI_THESIS=(\d+)$/.exec(text ?? '');
  return match ? { thesis: Number(match[1]), antithesis: Number(match[2]) } : undefined;
}
