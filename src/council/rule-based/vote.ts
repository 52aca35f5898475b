import type { Severity, Vote, VoteToken } from '../../base/schema/judgements/review.ts';
import { checkCitation } from '../../repo/index/citation.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import type { BallotItem } from './task-input.ts';
import { headed } from './wording.ts';

type Outcome = { vote: VoteToken; reason: string };

/** The published rule, first match wins. `held`: citations found or moved. `lost`: citations that are not there. */
export const voteRule: readonly { when: string; test: (facts: VoteFacts) => boolean; outcome: Outcome }[] = [
  {
    when: 'every citation is missing',
    test: ({ held, lost }) => lost > 0 && held === 0,
    outcome: { vote: 'NO', reason: 'none of the cited places exists at the base commit' },
  },
  {
    when: 'it comes from the plan check and is Important',
    test: ({ checked, severity }) => checked && severity === 'Important',
    outcome: { vote: 'YES', reason: 'the plan check shows it' },
  },
  {
    when: 'nothing is cited',
    test: ({ held, checked }) => held === 0 && !checked,
    outcome: {
      vote: 'EXONERATE',
      reason: 'no place is cited, so the rules can neither confirm nor refute it',
    },
  },
  {
    when: 'a citation holds and it is Important',
    test: ({ severity }) => severity === 'Important',
    outcome: { vote: 'YES', reason: 'a cited place holds and it is marked Important' },
  },
  {
    when: 'otherwise',
    test: () => true,
    outcome: { vote: 'EXONERATE', reason: 'its evidence holds, but it is no more than a nit or latent' },
  },
];

type VoteFacts = { held: number; lost: number; severity: Severity; checked: boolean };

/** Votes on every item by the rule; the reason names the facts. */
export function voteOn(index: RepositoryIndex, items: readonly BallotItem[]): Vote {
  return {
    votes: items.map((item) => {
      const statuses = item.citations.map(
        ({ file, line, endLine, quote }) =>
          checkCitation(index.snapshot, {
            path: file,
            line,
            endLine: endLine ?? line,
            ...(quote === null ? {} : { quote }),
          }).status,
      );
      const lost = statuses.filter((status) => status === 'missing').length;
      const facts = {
        held: statuses.length - lost,
        lost,
        severity: item.severity,
        checked: item.title.startsWith('Plan check:'),
      };
      const row = voteRule.find(({ test }) => test(facts));
      const { vote, reason } = row?.outcome ?? { vote: 'EXONERATE', reason: 'no rule applies' };
      return {
        id: item.id,
        vote,
        reason: headed(`${reason} (${facts.held} of ${statuses.length} citations hold).`),
      };
    }),
  };
}
