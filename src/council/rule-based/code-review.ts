import type { CodeReview } from '../../base/schema/judgements/lite.ts';
import { headed } from './wording.ts';

/** Rules cannot see whether a criterion is met; every one is answered, none is called met. */
export function reviewCode(criteria: readonly { id: string }[]): CodeReview {
  return {
    summary: headed('The static agent cannot judge code; every criterion is left open.'),
    findings: [],
    criteria: criteria.flatMap(({ id }) => {
      const [, task, number] = /^((?:TASK|FIX)-\d{3})#(\d{1,2})$/.exec(id) ?? [];
      return task === undefined
        ? []
        : [{ task_id: task, number: Number(number), met: false, evidence: null }];
    }),
  };
}
