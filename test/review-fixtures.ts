import fc from 'fast-check';
import { type Finding, findingSchema, type VoteToken } from '../src/base/schema/judgements/review.ts';
import {
  evidenceMarks,
  mergeCandidates,
  numberCandidates,
  type RaisedFinding,
} from '../src/council/review.ts';
import { tally } from '../src/council/tally.ts';
import { quorumOf, type VoterBallot } from '../src/council/vote.ts';
import { arbitraryOf } from './arbitrary-of.ts';

export const finding: Finding = {
  title: 'Lock is never released',
  focusArea: 'correctness',
  severity: 'Nit',
  concern: 'It stays.',
  suggestedRevision: 'Release it.',
  citations: [{ file: 'src/lock.ts', line: 3, endLine: null, quote: null }],
  outOfScope: false,
};

export const raised = (reviewer: string, more: Partial<RaisedFinding> = {}): RaisedFinding => ({
  ...finding,
  reviewer,
  seat: reviewer,
  evidence: 'found',
  ...more,
});

export const candidates = fc
  .array(
    fc.tuple(
      arbitraryOf(findingSchema),
      fc.constantFrom('Cursor-Arch', 'Cursor-Edge', 'Code'),
      fc.constantFrom(...evidenceMarks),
    ),
    { maxLength: 8 },
  )
  .map((list) =>
    numberCandidates(
      list.map(([each, reviewer, evidence]) => ({ ...each, reviewer, seat: reviewer, evidence })),
    ),
  );

export const items = mergeCandidates(
  numberCandidates([
    raised('Cursor-Arch', { title: 'one' }),
    raised('Codex-Pragmatic', { title: 'two', concern: 'As Codex I worry.' }),
    raised('Cursor-Arch', { title: 'far', outOfScope: true }),
    raised('Code', { title: 'leak', outOfScope: true, focusArea: 'security' }),
  ]),
  undefined,
).items;
export const ids = items.map(({ id }) => id);

export const voter = (label: string, votes?: Partial<Record<string, VoteToken>>): VoterBallot => ({
  label,
  votes:
    votes &&
    Object.fromEntries(
      Object.entries(votes).flatMap(([id, vote]) =>
        vote ? [[id, { vote, reason: `${label} on ${id}` }]] : [],
      ),
    ),
  ...(votes ? {} : { failure: 'timed out after 20m' }),
});

export const fullQuorum = quorumOf([
  voter('Claude', { FINDING_1: 'YES', FINDING_2: 'NO', OOS_1: 'YES', OOS_2: 'YES' }),
  voter('Codex', { FINDING_1: 'YES', FINDING_2: 'NO', OOS_1: 'YES', OOS_2: 'YES' }),
  voter('Cursor', { FINDING_1: 'NO', FINDING_2: 'NO', OOS_1: 'NO' }),
]);
export const entries = tally(items, fullQuorum);
