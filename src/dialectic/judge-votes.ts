import { type Side, sides } from '../schema/judgements/defence.ts';
import type { Verdict } from '../schema/judgements/verdict.ts';
import { tidyLine } from '../schema/primitives.ts';
import { readIdLines } from '../text/id-lines.ts';

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
  const { lines, repeated } = readIdLines(text, ['DECISION'], sides);
  return collect(
    judge,
    lines.map(({ id, token, reason }) => ({
      number: Number(id.slice('DECISION_'.length)),
      vote: token,
      rationale: reason,
    })),
    repeated,
    onBallot,
  );
}

/** The same from a typed verdict. */
export function votesOfVerdict(
  judge: string,
  { verdicts }: Verdict,
  onBallot: readonly number[],
): JudgeReading {
  const seen = new Set<number>();
  const repeated = verdicts.flatMap(({ decision }) => {
    const again = seen.has(decision);
    seen.add(decision);
    return again ? [`DECISION_${decision}`] : [];
  });
  return collect(
    judge,
    verdicts.map(({ decision, vote, rationale }) => ({ number: decision, vote, rationale })),
    repeated,
    onBallot,
  );
}

function collect(
  judge: string,
  cast: readonly { number: number; vote: Side; rationale: string }[],
  repeated: readonly string[],
  onBallot: readonly number[],
): JudgeReading {
  const votes: JudgeVotes = {};
  const numbers = new Set(onBallot);
  for (const { number, vote, rationale } of cast) {
    if (numbers.has(number)) votes[number] ??= { vote, rationale };
  }
  const warnings = repeated.map(
    (id) => `**⚠ ${judge} judge voted more than once on ${id}; the first vote counts.**`,
  );
  if (Object.keys(votes).length === 0) {
    warnings.push(
      `**⚠ ${judge} judge output unparseable — treated as abstention for all decisions on this ballot.**`,
    );
  }
  return { votes, warnings };
}
