/** P-010: what a person prefers for this run. */
export type Preferences = { autoYes: boolean; forceExplore: boolean };

/** A question as the engine asks it; kept free of the engine so that the table is plain data. */
export type ChoiceQuestion = {
  id: string;
  text: string;
  detail?: string;
  options: { value: string; label: string }[];
  recommended: string;
};

const autoMode: ChoiceQuestion = {
  id: 'auto-mode',
  text: 'Continue without asking?',
  options: [
    { value: 'interactive', label: 'Interactive: ask before anything is changed' },
    { value: 'auto', label: 'Auto: ask nothing, skip the review' },
  ],
  recommended: 'interactive',
};

const exploration: ChoiceQuestion = {
  id: 'exploration',
  text: 'Look through the repository first?',
  options: [
    { value: 'auto-detect', label: 'Auto-detect: when the task needs it' },
    { value: 'force', label: 'Force explore: always' },
  ],
  recommended: 'auto-detect',
};

/** P-010, P-011: what is still to be asked; a flag that decides something takes its question away. */
export function preferenceQuestions(mode: 'plan' | 'execute', flags: Preferences): ChoiceQuestion[] {
  if (flags.autoYes) return [];
  return mode === 'execute' ? [autoMode] : flags.forceExplore ? [autoMode] : [autoMode, exploration];
}

export function preferencesFrom(
  mode: 'plan' | 'execute',
  flags: Preferences,
  answers: ReadonlyMap<string, { value: string }>,
): Preferences {
  return {
    autoYes: flags.autoYes || answers.get('auto-mode')?.value === 'auto',
    forceExplore: mode === 'plan' && (flags.forceExplore || answers.get('exploration')?.value === 'force'),
  };
}

/** P-013: what auto mode takes where a person would choose; a fallback plan is never allowed this way. */
export const autoSelection = { confirm: 'allow', execution: 'auto', review: 'skip' } as const;
