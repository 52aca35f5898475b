import { CharretteError } from '../../../base/errors.ts';
import type { Evaluation } from '../../../base/schema/judgements/refine.ts';

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

/** Problems of offered criteria. */
export function offerProblems(
  criteria: readonly { criterion: string; dimension: string; verification: string }[],
  dimensions: readonly string[],
): string[] {
  return criteria.flatMap(({ criterion, dimension, verification }, index) => [
    ...(dimensions.includes(dimension)
      ? []
      : [`criteria ${index}: unknown dimension ${dimension}; available: ${dimensions.join(', ')}`]),
    ...findLeaks(`${criterion}\n${verification}`).map(
      (trace) => `criteria ${index}: must not contain "${trace}"`,
    ),
  ]);
}

/** Traces of an earlier round that a fresh evaluator must not see. */
const traces: readonly { name: string; pattern: RegExp }[] = [
  { name: 'Score:', pattern: /\bscore\s*:/i },
  { name: 'Feedback:', pattern: /\bfeedback\s*:/i },
  { name: 'Verdict:', pattern: /\bverdict\s*:/i },
  { name: 'Iteration <number>', pattern: /\biteration\s+\d+/i },
  { name: 'previous evaluator', pattern: /\b(?:previous|prior)\s+evaluators?\b/i },
];

/** Tags of blocks that quote documents of the project; their words are the author's, not an evaluator's. */
const quotedTags: readonly string[] = ['brief', 'brief_criteria', 'documents'];

/** Traces in a prompt outside of the documents it quotes. */
export function findLeaks(prompt: string): string[] {
  const own = withoutQuotes(prompt);
  return traces.filter(({ pattern }) => pattern.test(own)).map(({ name }) => name);
}

/** Blocks are recognised by their nonce: text inside cannot close one. */
function withoutQuotes(prompt: string): string {
  return prompt.replace(
    new RegExp(`<(${quotedTags.join('|')}) nonce="([a-z0-9]+)">\\n[\\s\\S]*?</\\1 nonce="\\2">`, 'gi'),
    '',
  );
}

/** Stops before an evaluator is asked who would not be fresh. */
export function refuseLeaks(prompt: string): void {
  const found = findLeaks(prompt);
  if (found.length === 0) return;
  throw new CharretteError({
    code: 'evaluator-leak',
    message: `The prompt of an evaluator carries traces of an earlier round: ${found.join(', ')}.`,
    fix: 'Reword the criteria or the prompt parts of the project that contain them.',
  });
}
