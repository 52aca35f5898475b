import type { ArtifactKey } from '../../../prompts/artifacts.ts';

/** §2C: the phases of a feature, in order. */
export const phases = ['brainstorm', 'specify', 'design', 'plan', 'tasks', 'implement', 'finish'] as const;
export type Phase = (typeof phases)[number];

type PhaseRow = {
  /** What the phase writes. */
  produces?: ArtifactKey;
  /** lean/C-26: what must be there and valid before it may start, with what that needs in turn. */
  needs: readonly ArtifactKey[];
  /** §2B: who reviews the result, in order, each with its own number of rounds (T-119). */
  reviewers: readonly { role: string; max: number }[];
};

export const phaseTable: Readonly<Record<Phase, PhaseRow>> = {
  brainstorm: {
    produces: 'prd',
    needs: [],
    reviewers: [
      { role: 'prd-reviewer', max: 3 },
      { role: 'brainstorm-reviewer', max: 3 },
    ],
  },
  specify: {
    produces: 'spec',
    needs: [],
    reviewers: [
      { role: 'spec-reviewer', max: 5 },
      { role: 'phase-reviewer', max: 5 },
    ],
  },
  design: {
    produces: 'design',
    needs: ['spec'],
    reviewers: [
      { role: 'design-reviewer', max: 5 },
      { role: 'phase-reviewer', max: 5 },
    ],
  },
  plan: {
    produces: 'plan',
    needs: ['spec', 'design'],
    reviewers: [
      { role: 'plan-reviewer', max: 5 },
      { role: 'phase-reviewer', max: 5 },
    ],
  },
  tasks: {
    produces: 'tasks',
    needs: ['spec', 'design', 'plan'],
    reviewers: [
      { role: 'task-reviewer', max: 5 },
      { role: 'phase-reviewer', max: 5 },
    ],
  },
  implement: {
    needs: ['spec', 'tasks'],
    reviewers: [
      'implementation-reviewer',
      'code-quality-reviewer',
      'security-reviewer',
      'relevance-verifier',
    ].map((role) => ({ role, max: 5 })),
  },
  finish: { needs: [], reviewers: [] },
};

/** Modes that leave phases out. */
export const modePhases: Readonly<Record<'standard' | 'full' | 'light', readonly Phase[]>> = {
  standard: phases,
  full: phases,
  light: ['specify', 'implement', 'finish'],
};

/** lean/C-26, §2B: what a phase needs in a mode: what no phase of the mode writes is not waited for. */
export function needsOf(phase: Phase, mode: keyof typeof modePhases = 'standard'): readonly ArtifactKey[] {
  const order = modePhases[mode];
  const { needs } = phaseTable[phase];
  if (!order.includes(phase)) return needs;
  return needs.filter((key) => order.some((earlier) => phaseTable[earlier].produces === key));
}

export function isPhase(word: string): word is Phase {
  return (phases as readonly string[]).includes(word);
}

/** The phase after one, in a mode; `undefined` after the last. */
export function nextPhase(
  after: Phase | undefined,
  mode: keyof typeof modePhases = 'standard',
): Phase | undefined {
  const order = modePhases[mode];
  if (after === undefined) return order[0];
  const place = phases.indexOf(after);
  return order.find((phase) => phases.indexOf(phase) > place);
}

/** T-134: calls that may run at the same time, unless the configuration says otherwise. */
export const defaultConcurrency = 5;
