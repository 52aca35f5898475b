import { type Side, sides } from '../../base/schema/judgements/defence.ts';
import type { Verdict } from '../../base/schema/judgements/verdict.ts';
import { tidyLine } from '../../base/schema/primitives.ts';
import { readIdLines, settle } from '../../base/text/id-lines.ts';

export type JudgeVote = { vote: Side; rationale: string };

/** One judge's votes by decision number; a decision that is not in it is an abstention (L-518). */
export type JudgeVotes = Record<number, JudgeVote>;

export type JudgeReading = { votes: JudgeVotes; warnings: string[] };

/** L-517: one line per decision, as a judge would write it. */
export function renderJudgeVotes(votes: JudgeVotes): string {
  return Object.entries(votes)
    .map(([number, { vote, rationale }]) => `DECISION_${number}: ${vote} — ${tidyLine(rationale)}\n`)
    .join('');
}

/** L-517, L-518: reads the vote lines of an answer in text. */
export function readJudgeVotes(judge: string, text: string, onBallot: readonly number[]): JudgeReading {
  const verdicts = readIdLines(text, ['DECISION'], sides).map(({ id, token, reason }) => ({
    decision: Number(id.slice('DECISION_'.length)),
    vote: token,
    rationale: reason,
  }));
  return votesOfVerdict(judge, { verdicts }, onBallot);
}

/** The same from a typed verdict. */
export function votesOfVerdict(
  judge: string,
  { verdicts }: Verdict,
  onBallot: readonly number[],
): JudgeReading {
  const numbers = new Set(onBallot);
  const { entries, repeated, contradicted } = settleVerdicts(
    verdicts.filter(({ decision }) => numbers.has(decision)),
  );
  const votes: JudgeVotes = Object.fromEntries(
    entries.map(({ decision, vote, rationale }) => [decision, { vote, rationale }]),
  );
  const warnings = [
    ...repeated.map((id) => `**⚠ ${judge} judge voted more than once on ${id}; the first vote counts.**`),
    ...contradicted.map((id) => `**⚠ ${judge} judge gave different votes on ${id}; none of them counts.**`),
  ];
  if (entries.length === 0 && contradicted.length === 0) {
    warnings.push(
      `**⚠ ${judge} judge output unparseable — treated as abstention for all decisions on this ballot.**`,
    );
  }
  return { votes, warnings };
}

/** Adds the votes of a repair turn; what was judged before stays, unless it contradicted itself. */
export function withJudgeRepair(first: Verdict, repair: Verdict): Verdict {
  const { entries: kept } = settleVerdicts(first.verdicts);
  const judged = new Set(kept.map(({ decision }) => decision));
  return { verdicts: [...kept, ...repair.verdicts.filter(({ decision }) => !judged.has(decision))] };
}

function settleVerdicts(verdicts: Verdict['verdicts']) {
  return settle(
    verdicts,
    ({ decision }) => `DECISION_${decision}`,
    ({ vote }) => vote,
  );
}
