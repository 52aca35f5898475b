import type { ArtifactKey } from '../artifacts.ts';
import type { CommandName, Dispatch } from './dispatch.ts';
import { nextPhaseExpectations } from './expectations.ts';
import type { ShapeName } from './shapes.ts';

type DomainReview = {
  command: CommandName & keyof typeof nextPhaseExpectations;
  role: ShapeName;
  model: Dispatch['model'];
  upstream: readonly ArtifactKey[];
  target: ArtifactKey;
  rubric: string;
};

/** T-027…T-030. */
const reviews: readonly DomainReview[] = [
  {
    command: 'specify',
    role: 'spec-reviewer',
    model: 'opus',
    upstream: ['prd'],
    target: 'spec',
    rubric:
      'Doubt the specification: is it testable, traced to the PRD, with assumptions, scope and failures stated?',
  },
  {
    command: 'design',
    role: 'design-reviewer',
    model: 'opus',
    upstream: ['prd', 'spec'],
    target: 'design',
    rubric:
      'Challenge the design: does it cover the specification, fit together, rest on facts, stay simple?',
  },
  {
    command: 'plan',
    role: 'plan-reviewer',
    model: 'opus',
    upstream: ['prd', 'spec', 'design'],
    target: 'plan',
    rubric:
      'Find how the plan fails: order, hidden dependencies, late tests, assumptions, parts of the design left out.',
  },
  {
    command: 'tasks',
    role: 'task-reviewer',
    model: 'sonnet',
    upstream: ['prd', 'spec', 'design', 'plan'],
    target: 'tasks',
    rubric:
      'Can each task be done without asking: small, done or not, true dependencies, the whole plan covered?',
  },
];

export const phaseDispatches: readonly Dispatch[] = reviews.flatMap((review): Dispatch[] => {
  const all = [...review.upstream, review.target];
  return [
    {
      command: review.command,
      role: review.role,
      description: `Review ${review.target}`,
      model: review.model,
      reads: 'review',
      required: review.upstream,
      unpruned: review.upstream,
      target: review.target,
      rubric: review.rubric,
      answer: review.role,
      resumable: true,
    },
    {
      command: review.command,
      role: 'phase-reviewer',
      description: `Review readiness of ${review.target} for the next phase`,
      model: 'sonnet',
      reads: 'review',
      required: all,
      unpruned: all,
      rubric: 'Can the next phase start from this result without guessing or going back?',
      expects: nextPhaseExpectations[review.command],
      // Before a specification there is no phase to go back to.
      answer: review.command === 'specify' ? 'phase-reviewer' : 'later-phase-reviewer',
      resumable: true,
      phaseReview: true,
    },
  ];
});
