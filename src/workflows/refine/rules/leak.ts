import { CharretteError } from '../../../base/errors.ts';

/** Traces of an earlier round that a fresh evaluator must not see. */
const traces: readonly { name: string; pattern: RegExp }[] = [
  { name: 'Score:', pattern: /\bscore\s*:/i },
  { name: 'Feedback:', pattern: /\bfeedback\s*:/i },
  { name: 'Verdict:', pattern: /\bverdict\s*:/i },
  { name: 'Iteration <number>', pattern: /\biteration\s+\d+/i },
  { name: 'previous evaluator', pattern: /\b(?:previous|prior)\s+evaluators?\b/i },
];

/** Tags of blocks that quote documents of the project; their words are the author's, not an evaluator's. */
export const quotedTags: readonly string[] = ['brief', 'brief_criteria', 'documents'];

/** Traces in a prompt outside of the documents it quotes. */
export function findLeaks(prompt: string): string[] {
  const own = withoutQuotes(prompt);
  return traces.filter(({ pattern }) => pattern.test(own)).map(({ name }) => name);
}

/** Blocks are told by their nonce: text inside cannot close one. */
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
