import { artifactKeys } from '../artifacts.ts';
import type { Dispatch } from './shapes.ts';

const everything = artifactKeys;

/** T-020…T-026, T-031, T-049: the roles of the implement phase. */
export const implementDispatches: readonly Dispatch[] = [
  {
    command: 'implement',
    role: 'implementation-reviewer',
    description: 'Review implementation against requirements',
    model: 'opus',
    reads: 'review',
    required: everything,
    unpruned: everything,
    rubric:
      'Verify the code against tasks, specification, design and PRD, in that order. Only code is proof.',
    answer: 'implementation-reviewer',
    listsFiles: true,
    resumable: true,
  },
  {
    command: 'implement',
    role: 'code-quality-reviewer',
    description: 'Review code quality',
    model: 'sonnet',
    reads: 'review',
    required: ['design', 'spec'],
    unpruned: everything,
    rubric:
      'Review the code: readable, simple, nothing that nobody asked for, clear flow. Taste is no issue.',
    answer: 'code-quality-reviewer',
    listsFiles: true,
    resumable: true,
  },
  {
    command: 'implement',
    role: 'security-reviewer',
    description: 'Review security',
    model: 'opus',
    reads: 'review',
    required: ['design', 'spec'],
    unpruned: everything,
    rubric: 'Find ways to abuse the code. Critical and high are blockers, medium warnings, low suggestions.',
    answer: 'security-reviewer',
    listsFiles: true,
    resumable: true,
  },
  {
    command: 'implement',
    role: 'code-simplifier',
    description: 'Find simplifications',
    model: 'sonnet',
    reads: 'review',
    required: ['design'],
    unpruned: ['spec', 'design'],
    rubric: 'Find code that can go or become simpler, same behaviour, within the patterns of the design.',
    answer: 'code-simplifier',
    listsFiles: true,
    resumable: false,
  },
  {
    command: 'implement',
    role: 'test-deepener',
    description: 'Outline tests from the specification',
    model: 'opus',
    reads: 'work',
    required: ['spec', 'design', 'tasks', 'prd'],
    unpruned: ['spec', 'design', 'tasks', 'prd'],
    rubric:
      'Outline tests of the goals: happy paths, boundaries, failures, abuse, regressions, concurrency. Work from the documents; do NOT read the implementation.',
    answer: 'test-deepener',
    resumable: false,
  },
  {
    command: 'implement',
    role: 'test-deepener-b',
    agent: 'test-deepener',
    description: 'Write the outlined tests',
    model: 'opus',
    reads: 'work',
    required: [],
    unpruned: [],
    rubric:
      'Turn the outlines into executable tests in the style of this repository and run them. A test that contradicts the code is a ' +
      'divergence to report, never a test to bend.',
    answer: 'test-writer',
    listsFiles: true,
    resumable: false,
  },
  {
    command: 'implement',
    role: 'relevance-verifier',
    description: 'Verify that the result is what was specified',
    model: 'opus',
    reads: 'review',
    required: ['spec', 'design', 'plan', 'tasks'],
    unpruned: ['spec', 'design', 'plan', 'tasks'],
    rubric:
      'Check four things: coverage of every acceptance criterion, completeness of tasks, testability of the result, coherence of the ' +
      'documents. A check passes only without gaps.',
    answer: 'relevance-verifier',
    listsFiles: true,
    resumable: true,
  },
  {
    command: 'implement',
    role: 'implementer',
    description: 'Fix review issues',
    model: 'opus',
    reads: 'work',
    required: everything,
    unpruned: everything,
    rubric: 'Fix the issues below, and only them. Tests keep passing; every defect fixed gets one.',
    answer: 'report',
    listsFiles: true,
    resumable: true,
  },
];

/** T-026, T-052: the per-task implementer has its own prompt; its references are PRD and specification. */
export const taskDispatch: Dispatch = {
  command: 'implementing',
  role: 'implementer',
  description: 'Implement task',
  model: 'opus',
  reads: 'work',
  required: ['prd', 'spec'],
  unpruned: ['prd', 'spec', 'design', 'plan'],
  rubric:
    'Implement one task. Write the test first, then the least code that passes, then tidy. Stay within the task; what else you notice ' +
    'goes under Concerns.',
  answer: 'report',
  resumable: false,
};
