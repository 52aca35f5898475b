import type { ArtifactKey } from '../artifacts.ts';
import type { ShapeName } from './shapes.ts';

/** A role as one command calls it. The same role name means other artifacts in another command (T-032). */
export type Dispatch = {
  command: CommandName;
  role: string;
  /** T-036: shown by hosts while the agent runs. */
  description: string;
  /** Type of the agent that plays the role, where it is not named like the role. */
  agent?: string;
  model: 'opus' | 'sonnet';
  /** T-038: reviewers read before their review, action agents before their work. */
  reads: 'review' | 'work';
  /** What the role must read, in this order. */
  required: readonly ArtifactKey[];
  /** What the role was given before pruning; `reads` of the full layouts and what a project can go back to (T-034). */
  unpruned: readonly ArtifactKey[];
  /** T-007: the artifact under review, where there is a single one. */
  target?: ArtifactKey;
  /** T-146: the target is always in the prompt. */
  targetInline?: boolean;
  rubric: string;
  /** T-046: what the next phase needs from this one. */
  expects?: string;
  answer: ShapeName | 'report';
  /** T-040: the list of changed files goes into the prompt. */
  listsFiles?: boolean;
  /** T-113: only roles in a review loop are resumed. */
  resumable: boolean;
  /** T-042: how the iteration is announced. */
  phaseReview?: boolean;
};

export const commandNames = [
  'brainstorm',
  'specify',
  'design',
  'plan',
  'tasks',
  'implement',
  'implementing',
] as const;

export type CommandName = (typeof commandNames)[number];

/** Other names of the same commands: those of the seed, and a shorter one. */
export const commandAliases: Readonly<Record<string, CommandName>> = {
  'create-plan': 'plan',
  'create-tasks': 'tasks',
  task: 'implementing',
};
