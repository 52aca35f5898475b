import { countTerms } from '../evidence/words.ts';
import type { GroundingFact } from './grounding-report.ts';
import type { GroundingSubject } from './grounding-subject.ts';

/** What the dialectic decided, as far as a plan must follow it. */
export type DecidedPoint = {
  number: number;
  title: string;
  /** The text of the side that stands. */
  resolution: string;
  /** Only `voted` binds; the others stand as the synthesis had them. */
  disposition: string;
};

/** Of the telling words of a resolution this share must be in what the plan says about it. */
const sharedWords = 0.3;

/** L-562, L-566: each voted decision is named by id and followed in words; the others are at least mentioned. */
export function groundDecisions(
  subject: GroundingSubject,
  decided: readonly DecidedPoint[],
): GroundingFact[] {
  return decided.map(({ number, title, resolution, disposition }) => {
    const id = `DECISION_${number}`;
    const said = subject.decisions.get(id);
    const binds = disposition === 'voted';
    const fact = { check: 'decision', subject: `${id}: ${title}`, basis: 'words' } as const;
    if (said === undefined && !new RegExp(`\\b${id}\\b`, 'i').test(subject.text)) {
      const reason = binds
        ? 'voted, but the plan does not name it'
        : `${disposition}; the plan does not mention it`;
      return { ...fact, result: 'missing', severity: binds ? 'error' : 'warning', reason };
    }
    const wanted = [...countTerms(resolution).keys()];
    const present = countTerms(`${said ?? ''}\n${subject.text}`);
    const share = wanted.length === 0 ? 1 : wanted.filter((term) => present.has(term)).length / wanted.length;
    if (binds && share < sharedWords) {
      const reason = `named, but only ${Math.round(share * 100)}% of the resolution's words are in the plan`;
      return { ...fact, result: 'unchecked', severity: 'warning', reason };
    }
    return { ...fact, result: 'found', severity: 'none', reason: binds ? 'named and followed' : 'mentioned' };
  });
}
