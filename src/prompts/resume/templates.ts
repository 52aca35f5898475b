import { filesPart } from '../compile.ts';
import { iterationLine } from '../dispatch-log.ts';
import { type Answer, data, type Part, type PromptDraft, words } from '../part.ts';
import type { Dispatch } from '../roles/shapes.ts';
import { implementerReport, shapes } from '../roles/shapes.ts';
import type { Delta } from './state.ts';

type Changed = Extract<Delta, { kind: 'delta' | 'same' }>;

export type ResumedInput = {
  dispatch: Dispatch;
  delta: Changed;
  fixSummary: string;
  iteration: number;
  max: number;
};

/** T-099, T-100 (I2): the next round of a review in the same session. No rubric, no references, the schema again. */
export function resumedReview({ dispatch, delta, fixSummary, iteration, max }: ResumedInput): PromptDraft {
  return {
    task: `${dispatch.command}/${dispatch.role}/resumed`,
    fixed: [
      words('context', 'You already have the upstream artifacts and your last review in this session.'),
    ],
    answer: answerOf(dispatch),
    changing: [
      deltaPart('Delta', delta),
      fixPart(fixSummary),
      words(
        'evaluate',
        `Are your issues resolved, and did the changes bring new ones? Judge with your earlier standard.\n${iterationLine(
          {
            iteration,
            max,
            ...(dispatch.phaseReview === true ? { phaseReview: true } : {}),
          },
        )}`,
      ),
    ],
    answerLast: true,
  };
}

export type FinalValidationInput = ResumedInput & { lastIteration: number };

/** T-102 (I2-FV): a reviewer that had passed looks again at everything since. */
export function finalValidation(input: FinalValidationInput): PromptDraft {
  const { dispatch, delta, fixSummary, iteration, max, lastIteration } = input;
  return {
    task: `${dispatch.command}/${dispatch.role}/final-validation`,
    fixed: [
      words(
        'context',
        `You already have the upstream artifacts. You approved in iteration ${lastIteration}.`,
      ),
    ],
    answer: answerOf(dispatch),
    changing: [
      deltaPart('Changes Since Your Last Review', delta),
      fixPart(fixSummary),
      words(
        'evaluate',
        `Did these changes break anything you had approved? This is the final validation round (iteration ${iteration} of ${max}).`,
      ),
    ],
    answerLast: true,
  };
}

export type ResumedFixInput = {
  issues: string;
  changedFiles: readonly string[];
  allFiles: readonly string[];
  iteration: number;
  max: number;
};

/** T-109: the fixer continues its session. */
export function resumedFix({ issues, changedFiles, allFiles, iteration, max }: ResumedFixInput): PromptDraft {
  return {
    task: 'implement/implementer/resumed',
    fixed: [
      words(
        'context',
        'You already have the upstream artifacts and know what you changed. Fix the new issues, and only them.',
      ),
    ],
    answer: { kind: 'text', rules: implementerReport },
    changing: [
      data('issues', issues, { heading: 'New Issues to Fix', limit: 200_000 }),
      { ...filesPart('Changed Files to Re-read', changedFiles), name: 'changed-files' },
      filesPart('All Implementation Files (for reference)', allFiles),
      words('iteration', iterationLine({ iteration, max })),
    ],
    answerLast: true,
  };
}

function deltaPart(heading: string, delta: Changed): Part {
  if (delta.kind === 'same') return words('delta', 'Nothing changed.', heading);
  return data('delta', delta.text, { heading, text: delta.stat });
}

function fixPart(summary: string): Part {
  if (summary.trim() === '') return words('fix-summary', 'None was given.', 'Fix Summary');
  return data('fix_summary', summary.trim(), { heading: 'Fix Summary', limit: 20_000 });
}

function answerOf(dispatch: Dispatch): Answer {
  if (dispatch.answer === 'report') return { kind: 'text', rules: implementerReport };
  return { kind: 'shape', shape: shapes[dispatch.answer] };
}
