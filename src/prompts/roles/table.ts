import { CharretteError } from '../../base/errors.ts';
import type { ArtifactKey } from '../artifacts.ts';
import { implementDispatches, taskDispatch } from './implement.ts';
import type { ShapeName } from './shapes.ts';
import { type CommandName, commandAliases, commandNames, type Dispatch } from './shapes.ts';

/** T-050, T-133, T-146: roles that stay as they are: the draft under review is in the prompt, or nothing is to be read. */
const freshOnlyDispatches: readonly Dispatch[] = [
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

/** T-046, §2B: what the phase after a review must be able to rely on. */
const nextPhaseExpectations = {
  specify: 'The design needs every requirement with acceptance criteria and scope stated, and no ambiguity.',
  design: 'The plan needs components, interfaces, dependencies and risks.',
  plan: 'The tasks need ordered steps with their dependencies.',
  tasks: 'The implementation needs tasks of under 15 minutes, done criteria for each and a dependency graph.',
} as const;

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

const phaseDispatches: readonly Dispatch[] = reviews.flatMap((review): Dispatch[] => {
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
      // A specification is the first phase.
      answer: review.command === 'specify' ? 'phase-reviewer' : 'later-phase-reviewer',
      resumable: true,
      phaseReview: true,
    },
  ];
});

/** Every role of every command. */
export const dispatches: readonly Dispatch[] = [
  ...freshOnlyDispatches,
  ...phaseDispatches,
  ...implementDispatches,
  taskDispatch,
];

/** The 14 calls that one pass through the five phases makes with references (T-077 without the per-task one). */
export const convertedSites: readonly Dispatch[] = dispatches.filter(
  ({ command, role, required }) =>
    command !== 'implementing' && required.length > 0 && role !== 'relevance-verifier',
);

/** T-034: a project's own list of artifacts for a role, by `<command>/<role>`. */
export type RoleOverrides = Readonly<Record<string, readonly ArtifactKey[]>>;

function commandNamed(word: string): CommandName {
  const name = commandNames.find((candidate) => candidate === word) ?? commandAliases[word];
  if (name !== undefined && Object.values(commandNames).includes(name)) return name;
  throw new CharretteError({
    code: 'not-found',
    message: `Unknown command ${JSON.stringify(word)}. Commands: ${commandNames.join(', ')}.`,
    fix: 'Name one of them, then a role.',
  });
}

/** T-032: looked up by command and role together. */
export function dispatchFor(command: string, role: string, overrides: RoleOverrides = {}): Dispatch {
  const name = commandNamed(command);
  const found = dispatches.find((dispatch) => dispatch.command === name && dispatch.role === role);
  if (found === undefined) {
    const roles = dispatches.filter((dispatch) => dispatch.command === name).map((dispatch) => dispatch.role);
    throw new CharretteError({
      code: 'not-found',
      message: `${name} has no role ${JSON.stringify(role)}; it has ${roles.join(', ')}.`,
    });
  }
  const required = Object.hasOwn(overrides, `${name}/${role}`) ? overrides[`${name}/${role}`] : undefined;
  return required === undefined ? found : { ...found, required };
}
