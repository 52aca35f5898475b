import type { Side, Verdict } from '../../base/schema/judgements/debate.ts';
import { citationsIn, pathsIn } from '../../base/text/citations.ts';
import { checkCitation } from '../../repo/index/citation.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import { counted, headed } from './wording.ts';

/** A debated decision as a judge sees it; the bodies are the text of each defence. */
export type JudgedDecision = { number: number; thesis: string; antithesis: string };

/** The published rule: what a defence gains and loses. */
export const judgeRule = {
  foundCitation: 2,
  mostCitations: 3,
  missingCitation: -3,
  existingPath: 0.5,
  mostPaths: 4,
} as const;

/** Votes by checking the evidence of both sides; a tie leaves the synthesis as it stands (THESIS). */
export function judge(index: RepositoryIndex, decisions: readonly JudgedDecision[]): Verdict {
  return {
    verdicts: decisions.map(({ number, thesis, antithesis }) => {
      const [left, right] = [weigh(index, thesis), weigh(index, antithesis)];
      const vote: Side = right.points > left.points ? 'ANTI_THESIS' : 'THESIS';
      const tie = right.points === left.points ? ' A tie leaves the choice of the synthesis.' : '';
      return {
        decision: number,
        vote,
        rationale: headed(
          `Evidence checked at the base commit: THESIS ${left.text}; ANTI_THESIS ${right.text}.${tie}`,
        ),
      };
    }),
  };
}

function weigh(index: RepositoryIndex, text: string): { points: number; text: string } {
  const checks = [...new Set(citationsIn(text).map(({ file, line }) => `${file}:${line}`))].map(
    (citation) => checkCitation(index.snapshot, citation).status,
  );
  const found = checks.filter((status) => status !== 'missing').length;
  const missing = checks.length - found;
  const paths = new Set(
    pathsIn(text)
      .map(({ path }) => path)
      .filter((path) => index.byPath.has(path)),
  ).size;
  const points =
    Math.min(found, judgeRule.mostCitations) * judgeRule.foundCitation +
    missing * judgeRule.missingCitation +
    Math.min(paths, judgeRule.mostPaths) * judgeRule.existingPath;
  return {
    points,
    text: `${counted(found, 'citation')} found, ${missing} missing, ${counted(paths, 'existing path')} (${points} points)`,
  };
}
