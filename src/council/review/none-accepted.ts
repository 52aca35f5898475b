import type { Quorum } from './quorum.ts';
import { outcomes, type TallyEntry } from './tally.ts';

/** What is said when no finding was accepted. L-691 has the words for findings that were all rejected, as L-650 means it. */
export function noneAccepted(entries: readonly TallyEntry[], { tier }: Pick<Quorum, 'tier'>): string {
  if (tier === 'none') return '**ℹ Nobody voted: no finding was accepted. Plan unchanged.**';
  if (entries.every(({ outcome }) => outcome === 'rejected'))
    return '**ℹ Voting panel rejected all in-scope findings. Plan unchanged.**';
  const parts = outcomes.flatMap((outcome) => {
    const count = entries.filter((entry) => entry.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${outcome}`];
  });
  return `**ℹ Voting panel accepted none of the in-scope findings (${parts.join(', ')}). Plan unchanged.**`;
}
