import { compose } from '../compose.ts';
import type { TokenCount } from '../report.ts';
import { resumedFix, resumedReview } from '../resume/templates.ts';
import type { Dispatch } from '../roles/dispatch.ts';
import type { NonceSource } from '../untrusted.ts';
import type { Weight } from './weigh.ts';

/**
 * What changes between two rounds of a review, in characters: medians of 505 recorded revisions of specifications,
 * designs, plans and task lists, as diffs with one line of context. Code fixes were recorded with three lines.
 */
export type RoundChange = { deltaCharacters: number; fixSummaryCharacters: number };

const deltaCharacters: Readonly<Record<string, { domain: number; phase: number }>> = {
  specify: { domain: 3_900, phase: 1_800 },
  design: { domain: 3_100, phase: 1_400 },
  plan: { domain: 3_600, phase: 1_900 },
  tasks: { domain: 3_700, phase: 2_800 },
  implement: { domain: 3_100, phase: 3_100 },
};

const fixSummaryCharacters = 300;

export function assumedChange(site: Dispatch): RoundChange {
  const row = deltaCharacters[site.command] ?? { domain: 3_600, phase: 1_900 };
  return {
    deltaCharacters: site.phaseReview === true ? row.phase : row.domain,
    fixSummaryCharacters,
  };
}

/** Diffs and summaries are prose and code like the artifacts. */
const charactersPerToken = 4;

/** The message that continues a session, with a change of the given size. */
export function resumedWeight(
  site: Dispatch,
  change: RoundChange,
  { nonce, count }: { nonce: NonceSource; count: TokenCount },
): Weight {
  const frame = compose(
    site.role === 'implementer'
      ? resumedFix({ issues: ' ', changedFiles: [], allFiles: [], iteration: 2, max: 5 })
      : resumedReview({
          dispatch: site,
          delta: { kind: 'delta', stat: 'artifact.md | +20 -10', text: ' ' },
          fixSummary: '-',
          iteration: 2,
          max: 5,
        }),
    { nonce },
  ).text;
  const characters = change.deltaCharacters + change.fixSummaryCharacters;
  return {
    characters: frame.length + characters,
    tokens: count(frame) + Math.ceil(characters / charactersPerToken),
  };
}

/** T-137: five rounds, the first fresh and four continued, against five fresh ones, in new tokens. */
export function loopShare(freshTokens: number, resumedTokens: number, rounds = 5): number {
  if (freshTokens === 0) return 1;
  const continued = Math.min(resumedTokens, freshTokens);
  return (freshTokens + (rounds - 1) * continued) / (rounds * freshTokens);
}
