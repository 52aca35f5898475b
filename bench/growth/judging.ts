// Findings and decisions on their way through the rules, without agents.

import { planDebates } from '../../src/council/debate.ts';
import { rankDecisions, readDecisions, renderDecisions } from '../../src/council/decisions.ts';
import { readFindings } from '../../src/council/findings-text.ts';
import { buildDialecticBallot, votesOfVerdict } from '../../src/council/judge.ts';
import {
  acceptedFindings,
  outOfScopeEntries,
  readAccepted,
  rejectedFindings,
  renderAccepted,
  renderOutOfScope,
  renderRejected,
} from '../../src/council/outcome-files.ts';
import { readResolutions, renderResolutions, resolve } from '../../src/council/resolutions.ts';
import { mergeCandidates, numberCandidates, type RaisedFinding } from '../../src/council/review.ts';
import { nextRound, readTally, renderTally, scoreboard, tally } from '../../src/council/tally.ts';
import { buildReviewBallot, quorumOf, readVotes, votesOf } from '../../src/council/vote.ts';
import { bucketsOf, contested, eligible } from '../../test/dialectic-fixtures.ts';
import { readOutOfScope, readRejected } from '../../test/outcome-readers.ts';
import { raised } from '../../test/review-fixtures.ts';
import type { Dimension } from './dimension.ts';
import { spread } from './sizes.ts';

const findingSizes = spread(10, 2000);
const reviewers = ['Cursor-Arch', 'Cursor-Edge', 'Codex-Pragmatic', 'Code'];

function raisedFindings(count: number): RaisedFinding[] {
  return Array.from({ length: count }, (_, index) =>
    raised(reviewers[index % reviewers.length] ?? 'Code', {
      title: `The limit ${index} is not configurable by Claude`,
      concern: `Operators cannot change limit ${index} without a new build; see module ${index % 37}.`,
      suggestedRevision: `Read limit ${index} from the configuration.`,
      citations: [{ file: `src/part-${index % 53}.ts`, line: index + 1, endLine: null, quote: null }],
      outOfScope: index % 5 === 0,
    }),
  );
}

/** From what the reviewers raised to every file that is written about it, and back. */
function review(findings: readonly RaisedFinding[]): number {
  const candidates = numberCandidates(findings);
  const clusters = candidates.map(({ id }) => ({ ids: [id], title: null }));
  const { items } = mergeCandidates(candidates, { clusters });
  buildReviewBallot(items, { neutral: 'add rate limiting' });
  const ids = items.map(({ id }) => id);
  const votes = ids.map((id, index) => ({
    id,
    vote: index % 3 === 0 ? ('YES' as const) : ('NO' as const),
    reason: 'checked',
  }));
  const ballots = ['Claude', 'Codex', 'Cursor'].map((label) => ({
    label,
    votes: votesOf({ votes }, ids).votes,
  }));
  const quorum = quorumOf(ballots);
  const entries = tally(items, quorum);
  const scores = scoreboard(entries, reviewers);
  const tallied = readTally(renderTally(entries, quorum, scores, 'sha256:0'));
  const { open, held } = outOfScopeEntries(entries);
  readOutOfScope(renderOutOfScope([...open, ...held]));
  readRejected(renderRejected(rejectedFindings(entries, quorum)));
  readAccepted(renderAccepted(acceptedFindings(entries, {})));
  nextRound({ round: 1, rounds: 2, entries, earlier: items });
  return tallied.items.length;
}

function findingsText(count: number): string {
  return raisedFindings(count)
    .map(
      ({ title, concern, suggestedRevision, citations: [place] }, index) =>
        `${index + 1}. **${title}**\n   - Focus area: correctness\n   - Severity: Important\n   - Concern: ${concern}\n   - Suggested revision: ${suggestedRevision}\n   - Where: ${place?.file}:${place?.line}`,
    )
    .join('\n\n');
}

function dialectic(count: number): () => number {
  const decisions = Array.from({ length: count }, (_, index) =>
    contested(`Where part ${index} lives`, { impact: index % 2 === 0 ? 'High' : 'Low' }),
  );
  const debates = eligible(count);
  const verdicts = debates.map(({ decision }) => ({
    decision: decision.number,
    vote: 'THESIS' as const,
    rationale: 'The evidence holds.',
  }));
  return () => {
    const ranked = rankDecisions(decisions);
    planDebates(ranked, { buckets: bucketsOf('cursor', 'codex'), cap: count });
    readDecisions(renderDecisions(ranked));
    buildDialecticBallot(debates);
    const numbers = ranked.map(({ number }) => number);
    const judges = ['one', 'two', 'three'].map((judge) => ({
      judge,
      family: judge,
      rotated: votesOfVerdict(judge, { verdicts }, numbers).votes,
    }));
    const resolved = resolve(debates, judges);
    const reading = readResolutions(renderResolutions(resolved));
    return reading.ok ? reading.resolutions.length : 0;
  };
}

export const judging: readonly Dimension[] = [
  {
    what: 'findings',
    work: 'merge, ballot, three votes, tally, all files written and read',
    sizes: findingSizes,
    prepare: (size) => {
      const findings = raisedFindings(size);
      return { act: () => review(findings) };
    },
  },
  {
    what: 'findings',
    work: 'read from a reviewer’s plain text',
    sizes: findingSizes,
    prepare: (size) => {
      const text = findingsText(size);
      return { act: () => readFindings(text) };
    },
  },
  {
    what: 'findings',
    work: 'votes read from a voter’s plain text',
    sizes: findingSizes,
    prepare: (size) => {
      const ids = Array.from({ length: size }, (_, index) => `FINDING_${index + 1}`);
      const text = ids.map((id) => `${id}: YES — checked`).join('\n');
      return { act: () => readVotes(text, ids) };
    },
  },
  {
    what: 'decisions',
    work: 'ranking, debates, ballot, three judges, resolutions written and read',
    sizes: spread(5, 900),
    prepare: (size) => ({ act: dialectic(size) }),
  },
];
