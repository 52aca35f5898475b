import type { Rule } from '../lint/rule.ts';

/** Findings about suppressions themselves; the engine makes them, because only it knows what was used. */
export const suppressionRules: readonly Rule[] = [
  {
    id: 'SU001',
    severity: 'warning',
    fence: 'none',
    summary: 'A suppression says why.',
    why: 'Without a reason nobody dares to remove it. It does not take effect.',
    hint: 'Write <!-- lint-disable ID reason -->.',
    bad: '<!-- lint-disable HY001 -->',
    check: () => [],
  },
  {
    id: 'SU002',
    severity: 'warning',
    fence: 'none',
    summary: 'A suppression names rules that exist.',
    why: 'A misspelt id suppresses nothing.',
    hint: 'Use an id from `charrette skill explain`.',
    bad: '<!-- lint-disable HY999 reason -->',
    check: () => [],
  },
  {
    id: 'SU003',
    severity: 'info',
    fence: 'none',
    summary: 'A suppression suppresses something.',
    why: 'A leftover hides the next real finding.',
    hint: 'Remove it.',
    bad: 'a suppression above text that was corrected',
    check: () => [],
  },
];
