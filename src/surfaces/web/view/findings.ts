import { isRecord, readJson } from '../../../base/safe-json.ts';
import { readBlocks } from '../../../base/text/labelled-block.ts';
import { heldFile, readAccepted } from '../../../council/outcome-files.ts';
import { heldTitle, readTally, type TallyReading } from '../../../council/tally-file.ts';
import { anchorIn, type PlanAnchor } from './plan-anchor.ts';
import type { RunFiles } from './run-files.ts';

export type FindingView = {
  id: string;
  title: string;
  outOfScope: boolean;
  /** Labels of those who raised it; empty until the votes are in. */
  reviewers: string[];
  focusArea: string;
  severity: string;
  evidence: string;
  concern: string;
  suggestion: string;
  outcome?: string;
  /** How the plan changed for it. */
  resolution?: string;
  votes: { voter: string; vote: string; reason: string }[];
  anchor?: PlanAnchor;
};

export type VotesView = {
  voters: string[];
  rule: string;
  absent: string;
  scores: TallyReading['scores'];
};

/** What the file names of each round of review end in. */
const rounds = ['', '-2'];

const ballotLabels = ['Reviewer', 'Focus area', 'Severity', 'Evidence', 'Concern', 'Suggested revision'];

/** Everything that was raised against the plan, in the order of the ballot. */
export function findingViews({ artifacts }: RunFiles): FindingView[] {
  const tallyText = artifacts['voting-tally.md'] ?? '';
  const tally = readTally(tallyText);
  const reasons = reasonsIn(tallyText);
  const accepted = new Map(
    readAccepted(artifacts['accepted-plan-findings.md'] ?? '').map((each) => [each.id, each]),
  );
  const plan = artifacts['plan.txt'] ?? '';
  const before = artifacts['plan-before-review.txt'] ?? '';
  const blocks = rounds.flatMap((round) => {
    const reading = readJson(artifacts[`ballot-proposers${round}.json`] ?? '');
    const proposers = reading.ok && isRecord(reading.value) ? reading.value : {};
    const heading = /^((?:FINDING|OOS)_\d+): (?:\[OUT_OF_SCOPE\] )?(.*)$/;
    return readBlocks(artifacts[`ballot${round}.txt`] ?? '', heading, ballotLabels).map((block) => ({
      ...block,
      proposers,
    }));
  });
  return blocks.map(({ heading, fields, proposers }) => {
    const [id = '', title = ''] = heading;
    const row = tally.items.find((item) => item.id === id);
    const field = (label: string) => fields.get(label) ?? '';
    const resolution = accepted.get(id)?.resolution;
    const outOfScope = id.startsWith('OOS');
    // L-694: the page is also a file that is sent around.
    const held = outOfScope && (row?.title === heldTitle || field('Focus area') === 'security');
    const finding = {
      id,
      title: row?.title ?? (held ? heldTitle : title),
      outOfScope,
      // Names stay hidden while somebody may still vote.
      reviewers:
        row === undefined
          ? []
          : field('Reviewer')
              .split(', ')
              .map((name) => labelOf(proposers[name]) ?? name),
      focusArea: field('Focus area'),
      severity: field('Severity'),
      evidence: held ? '' : field('Evidence'),
      concern: held ? `Kept in ${heldFile} of this run.` : field('Concern'),
      suggestion: held ? '' : field('Suggested revision'),
      ...(row && { outcome: row.outcome }),
      ...(resolution !== undefined && { resolution }),
      votes: (row?.votes ?? []).map(({ voter, vote }) => ({
        voter,
        vote,
        reason: reasons.get(id)?.get(voter) ?? '',
      })),
    };
    const anchor = finding.outOfScope ? undefined : anchorIn(plan, before, finding);
    return { ...finding, ...(anchor && { anchor }) };
  });
}

export function votesView({ artifacts }: RunFiles): VotesView | undefined {
  const text = artifacts['voting-tally.md'];
  if (text === undefined) return undefined;
  const { items, scores } = readTally(text);
  const label = (name: string) => new RegExp(`^- \\*\\*${name}\\*\\*: (.*)$`, 'm').exec(text)?.[1] ?? '';
  return {
    voters: items[0]?.votes.map(({ voter }) => voter) ?? [],
    rule: label('Rule'),
    absent: label('Absent'),
    scores,
  };
}

const labelOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

function reasonsIn(tally: string): Map<string, Map<string, string>> {
  return new Map(
    readBlocks(tally, /^((?:FINDING|OOS)_\d+)$/, []).map(({ heading: [id = ''] }) => {
      const start = tally.indexOf(`### ${id}\n`);
      const section = tally.slice(start).split(/^#{2,3} /m)[1] ?? '';
      const lines = [...section.matchAll(/^- (.+?): (?:YES|NO|EXONERATE|missing)(?: — (.*))?$/gm)];
      return [id, new Map(lines.map(([, voter = '', reason = '']) => [voter, reason]))];
    }),
  );
}
