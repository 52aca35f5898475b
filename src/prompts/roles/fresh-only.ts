import type { Dispatch } from './dispatch.ts';

/** T-050, T-133, T-146: roles that stay as they are: the draft under review is in the prompt, or nothing is to be read. */
export const freshOnlyDispatches: readonly Dispatch[] = [
  {
    command: 'brainstorm',
    role: 'prd-reviewer',
    description: 'Review PRD',
    model: 'opus',
    reads: 'review',
    required: [],
    unpruned: [],
    target: 'prd',
    targetInline: true,
    rubric:
      'Review the PRD for unproved claims, missing users, goals without a measure and problems stated as solutions.',
    answer: 'prd-reviewer',
    resumable: false,
  },
  {
    command: 'brainstorm',
    role: 'brainstorm-reviewer',
    description: 'Review readiness for a feature',
    model: 'sonnet',
    reads: 'review',
    required: [],
    unpruned: [],
    target: 'prd',
    targetInline: true,
    rubric:
      'Decide whether the PRD is ready to become a feature: problem, goals, options and scope clear enough to specify.',
    answer: 'phase-reviewer',
    resumable: false,
  },
  {
    command: 'design',
    role: 'codebase-explorer',
    description: 'Explore the code base',
    model: 'sonnet',
    reads: 'work',
    required: [],
    unpruned: [],
    rubric:
      'Find the code this feature touches or can reuse: patterns, similar features, interfaces, tests. Cite path:line.',
    answer: 'research',
    resumable: false,
  },
  {
    command: 'design',
    role: 'internet-researcher',
    description: 'Research prior art',
    model: 'sonnet',
    reads: 'work',
    required: [],
    unpruned: [],
    rubric:
      'Find how others solve this: standards, libraries, known pitfalls. Cite the source of every finding.',
    answer: 'research',
    resumable: false,
  },
];
