/** L-020, L-032: the steps in their order, with the short names of progress lines. */
export const steps = {
  '0': 'setup',
  '1': 'branch',
  '1c': 'questions',
  '1d': 'discussion r1',
  '2a': 'sketches',
  '2a.5': 'dialectic',
  '2b': 'full plan',
  '3': 'plan review',
  '3.5': 'discussion r2',
  '3b': 'arch diagram',
  '4': 'rejected findings',
  '5': 'cleanup',
} as const;

export type Step = keyof typeof steps;

/** Object keys that look like integers come first in JavaScript, so the order stands here. */
export const stepOrder: readonly Step[] = [
  '0',
  '1',
  '1c',
  '1d',
  '2a',
  '2a.5',
  '2b',
  '3',
  '3.5',
  '3b',
  '4',
  '5',
];

/** L-870: the labels of the timing marks. */
export const timingLabels: Record<Step, string> = {
  '0': 'design Step 0 — session setup',
  '1': 'design Step 1 — branch',
  '1c': 'design Step 1c — questions',
  '1d': 'design Step 1d — discussion r1',
  '2a': 'design Step 2a — sketches',
  '2a.5': 'design Step 2a.5 — dialectic',
  '2b': 'design Step 2b — plan',
  '3': 'design Step 3 — plan review',
  '3.5': 'design Step 3.5 — discussion r2',
  '3b': 'design Step 3b — arch diagram',
  '4': 'design Step 4 — rejected findings',
  '5': 'design Step 5 — cleanup',
};

/** L-580, L-720, L-740: the steps that also mark the token ledger. */
export const tokenLabels: Partial<Record<Step, string>> = {
  '3': 'Step 1 — design Step 3 plan review',
  '3.5': 'Step 1 — design Step 3.5 discussion r2',
  '3b': 'Step 1 — design Step 3b arch diagram',
};
