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
      'Review the specification as a skeptic. Can every requirement be tested, is every assumption stated, are scope and failure ' +
      'behaviour clear, does each requirement go back to the PRD?',
  },
  {
    command: 'design',
    role: 'design-reviewer',
    model: 'opus',
    upstream: ['prd', 'spec'],
    target: 'design',
    rubric:
      'Challenge the design. Does it cover the whole specification, do its parts fit together, can it be built, which assumptions ' +
      'are untested, what is more complex than needed?',
  },
  {
    command: 'create-plan',
    role: 'plan-reviewer',
    model: 'opus',
    upstream: ['prd', 'spec', 'design'],
    target: 'plan',
    rubric:
      'Look for how the plan fails: steps in an order that does not work, hidden dependencies, tests that come too late, untested ' +
      'assumptions, parts of the design nobody builds.',
  },
  {
    command: 'create-tasks',
    role: 'task-reviewer',
    model: 'sonnet',
    upstream: ['prd', 'spec', 'design', 'plan'],
    target: 'tasks',
    rubric:
      'Could somebody carry out each task without asking? Check that every step of the plan has tasks, each is small, has a binary ' +
      'done criterion and correct dependencies.',
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
      rubric:
        'Decide whether this phase is finished: can the next one start from its result alone, without guessing and without going back?',
      expects: nextPhaseExpectations[review.command],
      answer: 'phase-reviewer',
      resumable: true,
      phaseReview: true,
    },
  ];
});
