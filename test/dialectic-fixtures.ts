import type { Defence } from '../src/base/schema/judgements/debate.ts';
import type { ContestedDecision } from '../src/base/schema/judgements/design.ts';
import { type NumberedDecision, rankDecisions } from '../src/council/decisions.ts';
import { checkEligibility, defenceReading } from '../src/council/defence.ts';
import type { JudgeBallots, JudgeVotes } from '../src/council/judge.ts';

export const contested = (title: string, more: Partial<ContestedDecision> = {}): ContestedDecision => ({
  title,
  chosen: `${title} chosen`,
  alternative: `${title} alternative`,
  tension: 'they differ',
  impact: 'Medium',
  affectedFiles: [],
  chosenSeats: ['a'],
  alternativeSeats: ['b'],
  ...more,
});

export const decisions = (count: number): NumberedDecision[] =>
  rankDecisions(Array.from({ length: count }, (_, index) => contested(`d${index + 1}`)));

/** The debate rotation when these agents are up. */
export const bucketsOf = (...agents: string[]) =>
  ['Cursor', 'Codex'].map((label) => {
    const agent = label.toLowerCase();
    return { label, agent: agents.includes(agent) ? agent : '' };
  });
export const defence: Defence = {
  steelman: 'The other side keeps the file small and simple.',
  claim: 'The store must own the lock. It is the only writer. A third sentence.',
  evidence: 'src/store.ts:12 already holds the only write path.',
  strongestConcession: 'A file would be easier to look at by hand.',
  counterToOpposition: 'Looking by hand is rare and can be scripted.',
  riskIfWrong: 'We would move one function later.',
  recommend: 'THESIS',
};
export const other: Defence = {
  ...defence,
  claim: 'A file is simpler for everybody here.',
  recommend: 'ANTI_THESIS',
};

export const reading = (change: Partial<Defence> = {}) => defenceReading({ ...defence, ...change });
export const antithesis = defenceReading(other);

export const eligible = (numbers: number) =>
  decisions(numbers).map((decision) => {
    const check = checkEligibility({ thesis: reading(), antithesis });
    if (!check.eligible) throw new Error(check.detail);
    return { kind: 'heard' as const, decision, thesis: check.thesis, antithesis: check.antithesis };
  });

export const judge = (name: string, vote?: 'T' | 'A', swapped?: 'T' | 'A'): JudgeBallots => {
  const votes = (token?: 'T' | 'A'): JudgeVotes =>
    token
      ? {
          1: {
            vote: token === 'T' ? ('THESIS' as const) : ('ANTI_THESIS' as const),
            rationale: `${name} says`,
          },
        }
      : {};
  return { judge: name, rotated: votes(vote), swapped: votes(swapped) };
};
