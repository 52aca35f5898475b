import { isRecord, readJson } from '../../../base/safe-json.ts';
import { countLines } from '../../../base/text/diff.ts';
import { readBlocks } from '../../../base/text/labelled-block.ts';
import { heldFile, readAccepted } from '../../../council/outcome-files.ts';
import { heldTitle, readTally, type TallyReading } from '../../../council/tally.ts';
import type { RunFiles } from './run-files.ts';

/** The place in the plan that a finding is about. `line` counts from 1. */
type PlanAnchor = { line: number; section: string };

type Anchored = {
  title: string;
  concern: string;
  suggestion: string;
  evidence: string;
  resolution?: string;
};

const shortest = 4;
const least = 2;

/**
 * The line of the plan that shares most with a finding. Words that occur everywhere in the plan count little, files that
 * both name say much, and for a finding that was worked in a line that the revision added says more than one that was there.
 */
export function anchorIn(plan: string, before: string, finding: Anchored): PlanAnchor | undefined {
  const lines = plan.split('\n').slice(0, countLines(plan));
  const end = lines.findIndex((line) => /^## Dissent\b/.test(line));
  const body = end < 0 ? lines : lines.slice(0, end);
  const old = new Set(before.split('\n'));
  const frequency = new Map<string, number>();
  for (const line of body)
    for (const word of wordsOf(line)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const { title, concern, suggestion, evidence, resolution = '' } = finding;
  const wanted = wordsOf([title, concern, suggestion, resolution].join(' '));
  const files = new Set([...evidence.matchAll(/(?<![\w./-])[\w./-]+\.\w+/g)].map(([file]) => file));
  let best: PlanAnchor | undefined;
  let highest = least;
  let section = '';
  for (const [index, line] of body.entries()) {
    const heading = /^#{1,4} (.*)$/.exec(line)?.[1];
    if (heading !== undefined) {
      section = heading;
      continue;
    }
    let score = 0;
    for (const word of wordsOf(line)) if (wanted.has(word)) score += 2 / (frequency.get(word) ?? 1);
    for (const file of files) if (line.includes(file)) score += 2;
    if (resolution !== '' && score > 0 && !old.has(line)) score += 2;
    if (score > highest) {
      highest = score;
      best = { line: index + 1, section };
    }
  }
  return best;
}

function wordsOf(text: string): Set<string> {
  return new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => word.length >= shortest),
  );
}

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
  missing: string;
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
      // Names stay hidden while votes may still come.
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
    missing: label('Absent'),
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
