import type { Evaluation } from '../../../base/schema/judgements/evaluation.ts';
import { findLeaks } from './leak.ts';

/** A number lies at an anchor when no other anchor is nearer; halfway both will do. */
const anchorReach = 0.125;

/** What is wrong with an evaluation that its schema cannot say. */
export function evaluationProblems({ criteria }: Evaluation, contracted: readonly string[]): string[] {
  const judged = criteria.map(({ id }) => id);
  const wrong = contracted.filter((id) => judged.filter((other) => other === id).length !== 1);
  const unknown = judged.filter((id) => !contracted.includes(id));
  const misplaced = criteria.flatMap(({ id, checks }) =>
    checks
      .filter(({ score, anchor }) => Math.abs(Math.max(score, 0.25) - Number(anchor)) > anchorReach + 1e-9)
      .map(({ score, anchor }) => `${id}: the score ${score} does not lie at the anchor ${anchor}`),
  );
  return [
    ...(wrong.length === 0 ? [] : [`each of ${wrong.join(', ')} must be judged exactly once`]),
    ...(unknown.length === 0 ? [] : [`${unknown.join(', ')} are not in the contract`]),
    ...misplaced.slice(0, 10),
  ];
}

/** What is wrong with criteria that somebody offers. */
export function offerProblems(
  criteria: readonly { criterion: string; dimension: string; verification: string }[],
  dimensions: readonly string[],
): string[] {
  return criteria.flatMap(({ criterion, dimension, verification }, index) => [
    ...(dimensions.includes(dimension)
      ? []
      : [`criteria ${index}: ${dimension} is no dimension; there are ${dimensions.join(', ')}`]),
    ...findLeaks(`${criterion}\n${verification}`).map(
      (trace) => `criteria ${index}: must not contain "${trace}"`,
    ),
  ]);
}
