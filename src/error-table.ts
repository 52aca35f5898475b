/** Exit codes of the program (contract.md); tests pin them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  timedOut: 3,
  notFound: 4,
  denied: 5,
  notAccepted: 6,
  paused: 7,
  drift: 8,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

type ErrorRow = { exit: ExitCode; meaning: string };

/** Every error code there is. A code is never renamed; docs/troubleshooting.md is made from this table. */
export const errorTable = {
  internal: { exit: 1, meaning: 'A defect in Charrette itself.' },
  usage: { exit: 2, meaning: 'The command line cannot be understood.' },
  'unknown-command': { exit: 2, meaning: 'There is no such command.' },
  'unknown-flag': { exit: 2, meaning: 'The command has no such flag.' },
  'config-invalid': { exit: 2, meaning: 'A configuration file has a wrong value.' },
  'config-unreadable': { exit: 2, meaning: 'A configuration file cannot be read or parsed.' },
  'node-too-old': { exit: 2, meaning: 'The running Node.js is older than 22.13.' },
  'not-built': { exit: 2, meaning: 'The checkout has not been built.' },
  'timed-out': { exit: 3, meaning: 'The time limit of the command passed.' },
  'not-found': { exit: 4, meaning: 'The named thing does not exist.' },
  'run-not-found': { exit: 4, meaning: 'There is no run with that id.' },
  'agent-not-found': { exit: 4, meaning: 'A named agent is neither configured nor on PATH.' },
  'permission-denied': { exit: 5, meaning: 'The operating system refused a read or write.' },
  'phase-failed': { exit: 1, meaning: 'A phase of a skill did not give what it declares.' },
  'conversion-lossy': { exit: 1, meaning: 'A conversion would lose text of its source.' },
  'lint-errors': {
    exit: 5,
    meaning: 'A package with lint errors is neither packed nor installed without --force.',
  },
  'would-overwrite': { exit: 5, meaning: 'Files that are there would be replaced.' },
  'path-unsafe': { exit: 5, meaning: 'A path leads out of the directory it must stay in.' },
  'reserved-name': { exit: 5, meaning: 'A file has a name that is kept for programs.' },
  'dirty-tree': { exit: 5, meaning: 'The working tree has changes that would be at risk.' },
  'no-commits': { exit: 5, meaning: 'The repository has no commit yet.' },
  'not-a-repository': { exit: 5, meaning: 'The directory is not inside a git repository.' },
  'git-missing': { exit: 4, meaning: 'The program git is not on PATH.' },
  'git-failed': { exit: 1, meaning: 'A git command did not succeed.' },
  'preflight-failed': {
    exit: 5,
    meaning: 'The repository is not in a state from which a design may start.',
  },
  'disk-full': { exit: 1, meaning: 'The disk is full; nothing that was saved is lost.' },
  'store-locked': { exit: 1, meaning: 'Another process holds the embedded store, or works on the run.' },
  'store-corrupt': { exit: 1, meaning: 'The embedded store cannot be opened; a copy was kept.' },
  'store-unreachable': { exit: 1, meaning: 'The PostgreSQL server does not answer.' },
  'code-version-gone': { exit: 1, meaning: 'The run was started by another version of the workflow code.' },
  'consent-refused': { exit: 5, meaning: 'Consent to call the agents was refused.' },
  'heavy-phase-failed': { exit: 1, meaning: 'The worker process of `design --subagent` did not deliver.' },
  'plan-invalid': { exit: 2, meaning: 'A plan file cannot be read as a plan.' },
  'tasks-invalid': { exit: 2, meaning: 'A file of tasks to compare holds none, or one that cannot be used.' },
  'plan-drift': { exit: 8, meaning: 'Files of the plan have changed since it was made.' },
  'author-failed': { exit: 1, meaning: 'No agent gave a usable answer to a task the run cannot do without.' },
  'too-few-sketches': { exit: 1, meaning: 'Fewer usable sketches came back than a design needs.' },
  'budget-used-up': {
    exit: 7,
    meaning: 'The limit on tokens or money was reached and the run was stopped there.',
  },
  'archive-invalid': {
    exit: 2,
    meaning: 'An archive of a run cannot be read, or its run cannot go on here.',
  },
  'file-too-large': { exit: 2, meaning: 'A file is larger than the limit for its kind.' },
  'json-invalid': { exit: 2, meaning: 'A JSON document cannot be parsed or has a wrong shape.' },
  'checks-failed': { exit: 6, meaning: 'The tests of the project fail, so the feature is not finished.' },
  'artifact-missing': {
    exit: 4,
    meaning: 'An artifact that the call cannot do without is missing or empty.',
  },
  DESIGN_IMPORT_NOT_FOUND: { exit: 4, meaning: 'The bundle to import does not exist or cannot be read.' },
  DESIGN_IMPORT_UNSUPPORTED_FORMAT: {
    exit: 2,
    meaning: 'The bundle is neither a whole ZIP archive nor HTML.',
  },
  DESIGN_IMPORT_UNSUPPORTED_VERSION: {
    exit: 2,
    meaning: 'The format version of the bundle is not supported.',
  },
  DESIGN_IMPORT_SECURITY_REJECT: {
    exit: 5,
    meaning: 'The bundle has entries that are not safe, or is not what it declares; nothing was written.',
  },
  DESIGN_IMPORT_MISSING_MANIFEST: {
    exit: 2,
    meaning: 'The bundle has no manifest.json with a format version.',
  },
  BRAND_DESIGN_MISSING_IDENTITY: { exit: 5, meaning: 'A brand file is missing or has a placeholder in it.' },
  BRAND_DESIGN_CONFLICT: { exit: 5, meaning: 'Design tokens say something else than the brand files.' },
  'pass-threshold-floor': { exit: 2, meaning: 'The pass threshold of a refinement is below 0.60.' },
  'evaluator-leak': { exit: 1, meaning: 'The prompt of an evaluator carried traces of an earlier round.' },
  HRN_EVAL_MEMORY_FROZEN: {
    exit: 2,
    meaning: 'Evaluators were to remember earlier rounds, which is not possible.',
  },
  BRIEF_SECTION_INCOMPLETE: { exit: 2, meaning: 'A brief lacks its goal, its audience or its brand.' },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;
