import { type ContestedDecision, impacts } from '../../base/schema/judgements/synthesis.ts';

/** A contested decision with its rank; `number` is the N of DECISION_N everywhere (C-23). */
export type NumberedDecision = ContestedDecision & { number: number };

export function decisionId(decision: { number: number }): string {
  return `DECISION_${decision.number}`;
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
