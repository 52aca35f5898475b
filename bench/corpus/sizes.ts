/**
 * What the synthetic corpus looks like. Medians, counts and shares are those of a recorded corpus of 110 features (100
 * of them complete); they were fixed before anything was tuned on the result.
 */
export const corpusShape = {
  seed: 20_260_227,
  features: 100,
  /** Median characters of each document; `spread` is the deviation of their logarithm. */
  medians: { prd: 21_276, spec: 12_264, design: 20_561, plan: 11_936, tasks: 15_730 },
  spread: 0.55,
  charactersPerLine: 63,
  /** Where the PRD comes from: 46, 2, 9 and 53 of 110. */
  prd: { file: 42, fallback: 2, broken: 8, none: 48 },
  /** Share of tasks with a field that names plan or design, and how those fields are written. */
  traced: 0.28,
  /** Share of references that lead nowhere. */
  deadReferences: 0.1,
  /** Share of features whose tasks are grouped under headings of the plan. */
  grouped: 0.4,
  /** Iterations per review history, and markers over all of them. */
  histories: { features: 33, iterations: 18, lazyLoadWarnings: 24, resumeFallbacks: 5, mentions: 6 },
} as const;
