/** A thin skill: it calls the program and says what to do with each way the program can end. */
export type ThinSkill = {
  name: string;
  /** What it does and when to use it, with phrases that people say. */
  description: string;
  /** Command line without the words of the user. */
  command: string;
  /** What the words after the command are. */
  input: string;
  steps: readonly string[];
};

const onPause =
  'Exit 7: the run waits. Show the user the questions of the JSON (`questions`: text, options, the recommended one), ask them, then run `charrette answer RUN QUESTION=ANSWER … --json`; the run continues automatically.';
const onMissing =
  'When the shell does not know `charrette`, say that it is installed with `npm install -g charrette`, and stop.';
const onFailure =
  'Any other exit: show `error.message` and `error.fix` unchanged. Do not do the work by hand instead.';

/** The skills of every plugin form, from this one table. */
export const thinSkills: readonly ThinSkill[] = [
  {
    name: 'design',
    description:
      'Designs a feature with a panel of coding agents (independent sketches, debate of contested decisions, reviewed and voted plan) by running the charrette program. Use when asked to "design a feature", "plan this with a panel", "compare approaches" or for "charrette design".',
    command: 'charrette design --auto --json',
    input: 'the feature in the words of the user',
    steps: [
      'A design takes minutes and calls several agents: say so, and start it in the background when the host can.',
      'Exit 0: show `plan.txt` of the run (`charrette plan show RUN`), what was contested, and the cost. Exit 6: the same, and that the plan was not accepted, with the findings that remain.',
      onPause,
    ],
  },
  {
    name: 'lite-plan',
    description:
      'Explores, clarifies, plans and implements one task with the charrette program. Use when asked for a "quick plan", to "plan and implement" a task, or for "charrette lite-plan".',
    command: 'charrette lite-plan --json',
    input: 'the task in the words of the user; add `--yes` only when the user wants no questions',
    steps: ['Exit 0: report tasks, changed files and tests from the summary of the run.', onPause],
  },
  {
    name: 'execute',
    description:
      'Implements an existing plan in waves of tasks, with tests and review, by running the charrette program. Use when asked to "execute the plan", "implement plan.json" or for "charrette lite-execute".',
    command: 'charrette lite-execute --json',
    input: 'the path of the plan, `--run RUN` for a planned run, or a task as text',
    steps: [
      'Exit 8: the repository changed since the plan was made. Show the drift and ask whether to plan again.',
      'Exit 0: report tasks, changed files, tests and review.',
      onPause,
    ],
  },
  {
    name: 'context',
    description:
      'Loads the design documents of the project as one block under a token budget with the charrette program. Use before designing or changing user interfaces, or for "design context".',
    command: 'charrette context',
    input: 'nothing, or `--dir DIR`',
    steps: ['Take the block on stdout as context for what follows; warnings on stderr are for the user.'],
  },
  {
    name: 'skill-lint',
    description:
      'Checks, fixes and explains workflow skills (SKILL.md with phases) with the charrette program. Use when asked to "lint a skill", "check SKILL.md", or after writing or changing a skill.',
    command: 'charrette skill lint --json',
    input: 'a skill directory, or `--all ROOT`',
    steps: [
      'Exit 0 is PASS, 6 REVIEW, 1 FAIL. List findings by file and line with their rule.',
      '`charrette skill explain RULE` says what a rule wants; `charrette skill fix DIR` applies safe fixes. Ask before you run it.',
    ],
  },
  {
    name: 'status',
    description:
      'Shows runs of the charrette program in this project, what they wait for, and how to continue. Use when asked "where are we", "what is the panel doing", or for "charrette status".',
    command: 'charrette runs --json',
    input: 'nothing',
    steps: [
      'For the newest run that is not over: `charrette show RUN`. Name its state, its open questions and the command that continues it.',
    ],
  },
];

/** SKILL.md of a thin skill under the name that the host needs. */
export function thinSkillText({ description, command, input, steps }: ThinSkill, name: string): string {
  const title = name.replace(/^charrette-/, '').replaceAll('-', ' ');
  const numbered = [
    `Run \`${command}\` with ${input}. Pass the words as one quoted argument, never inside another shell string.`,
    ...steps,
    onFailure,
    onMissing,
  ].map((step, index) => `${index + 1}. ${step}`);
  return [
    '---',
    `name: ${name}`,
    `description: ${JSON.stringify(description)}`,
    '---',
    '',
    `# Charrette: ${title}`,
    '',
    'The program keeps the state, asks, retries and resumes; this skill only calls it.',
    '',
    ...numbered,
    '',
  ].join('\n');
}
