import { CharretteError } from '../../../base/errors.ts';

const mostReviewers = 3;

/**
 * Who reviews: `skip` is nobody, `agent` the first agent that can judge, `panel` all of them up to three; names are those named.
 * Somebody who is not there is refused, so this is asked before anything is done.
 */
export function reviewersOf(review: string, able: readonly string[]): string[] {
  if (review === 'skip') return [];
  const wanted =
    review === 'panel'
      ? able.slice(0, mostReviewers)
      : review === 'agent'
        ? able.slice(0, 1)
        : [...new Set(review.split(',').map((name) => name.trim()))];
  const missing = wanted.length === 0 ? [review] : wanted.filter((name) => !able.includes(name));
  if (missing.length === 0) return wanted;
  throw new CharretteError({
    code: 'agent-not-found',
    message: `${missing.join(', ')} cannot review here; agents that can: ${able.join(', ') || 'none'}.`,
    fix: 'Choose another with --review, or --review skip.',
  });
}
