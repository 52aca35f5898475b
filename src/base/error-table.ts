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

/** `fix`: what usually helps; an error that knows its case says something better. */
type ErrorRow = { exit: ExitCode; meaning: string; fix: string };

/** Every error code there is. A code is never renamed; docs/reference/errors.md is made from this table. */
export const errorTable = {
  internal: {
    exit: 1,
    meaning: 'A defect in Charrette itself.',
    fix: 'Run the command again with `--verbose` for the stack and report it; `charrette resume` continues a run.',
  },
  usage: {
    exit: 2,
    meaning: 'The command line cannot be understood.',
    fix: 'Run the command with `--help`; its examples come first.',
  },
  'unknown-command': {
    exit: 2,
    meaning: 'The command does not exist.',
    fix: 'Run `charrette --help` for the list of commands.',
  },
  'unknown-flag': {
    exit: 2,
    meaning: 'The command does not have this flag.',
    fix: 'Run the command with `--help` for its flags.',
  },
  'config-invalid': {
    exit: 2,
    meaning: 'A configuration file has a wrong value.',
    fix: 'The message names file, line and key; `charrette config --schema` prints what is allowed.',
  },
  'config-unreadable': {
    exit: 2,
    meaning: 'A configuration file cannot be read or parsed.',
    fix: 'Fix the file that the message names, or use another one with `--config`.',
  },
  'node-too-old': {
    exit: 2,
    meaning: 'The running Node.js is older than 22.13.',
    fix: 'Install Node.js 22.13 or newer. In a checkout `npm run setup` brings one.',
  },
  'not-built': {
    exit: 2,
    meaning: 'The checkout has not been built.',
    fix: 'Run `npm run setup` in the checkout.',
  },
  'timed-out': {
    exit: 3,
    meaning: 'The time limit of the command passed.',
    fix: 'Everything finished is saved: run `charrette resume`. Give `--timeout` more seconds, or omit it.',
  },
  'not-found': {
    exit: 4,
    meaning: 'The named thing does not exist.',
    fix: 'Check the name, and the directory that relative names start from (`--cwd`).',
  },
  'run-not-found': {
    exit: 4,
    meaning: 'No run has this id.',
    fix: 'Run `charrette runs` for the list.',
  },
  'agent-not-found': {
    exit: 4,
    meaning: 'A named agent is neither configured nor on PATH.',
    fix: 'Run `charrette doctor` for the agents it found; `--agents static` works without any agent.',
  },
  'permission-denied': {
    exit: 5,
    meaning: 'The operating system refused a read or write.',
    fix: 'Allow this user to read and write what the message names; runs are kept below `.charrette/` in the project.',
  },
  'request-refused': {
    exit: 5,
    meaning:
      'The server of the page refused a request: its token, name, origin or form is wrong, or too many streams are open.',
    fix: 'Use the address that `charrette serve` printed; programs send `Authorization: Bearer <token>` and bodies as application/json.',
  },
  'phase-failed': {
    exit: 1,
    meaning: 'A phase of a skill did not give what it declares.',
    fix: '`charrette show` has the answer of the phase. Fix the package or the agent, then run `charrette resume`.',
  },
  'conversion-lossy': {
    exit: 1,
    meaning: 'A conversion would lose text of its source.',
    fix: 'Nothing was written. Give the source another form with `--from`, or copy the text by hand.',
  },
  'lint-errors': {
    exit: 5,
    meaning: 'A package with lint errors is neither packed nor installed without --force.',
    fix: '`charrette skill lint` names every error and `charrette skill fix` repairs what it can; `--force` continues anyway.',
  },
  'would-overwrite': {
    exit: 5,
    meaning: 'Existing files would be replaced.',
    fix: 'Name another place, remove the existing files, or replace them with `--force` where the command has that flag.',
  },
  'path-unsafe': {
    exit: 5,
    meaning: 'A path is outside the directory it must stay in.',
    fix: 'Name a path inside the directory, without `..` and without links to places outside.',
  },
  'reserved-name': {
    exit: 5,
    meaning: 'A file has a name that is reserved for programs.',
    fix: 'Give the file another name.',
  },
  'dirty-tree': {
    exit: 5,
    meaning: 'The working tree has changes that would be at risk.',
    fix: 'Commit or stash the changes, or use `--no-branch` to use the tree with its changes.',
  },
  'no-commits': {
    exit: 5,
    meaning: 'The repository has no commit yet.',
    fix: 'Commit once, then run the command again.',
  },
  'not-a-repository': {
    exit: 5,
    meaning: 'The directory is not inside a git repository.',
    fix: 'Run the command inside a git repository, name one with `--cwd`, or make one with `git init`.',
  },
  'git-missing': {
    exit: 4,
    meaning: 'The program git is not on PATH.',
    fix: 'Install git and make sure that it is on PATH.',
  },
  'checkout-unusable': {
    exit: 1,
    meaning: 'The work in the checkout of an agent cannot be used.',
    fix: 'Copy what you need from the folder that the message names, then move that folder away.',
  },
  'git-failed': {
    exit: 1,
    meaning: 'A git command did not succeed.',
    fix: 'Fix the git error in the message, then run the command again.',
  },
  'preflight-failed': {
    exit: 5,
    meaning: 'The repository is not in a state from which a design may start.',
    fix: 'Bring the repository into the state that the message names, or stay on the branch with `--no-branch`.',
  },
  'disk-full': {
    exit: 1,
    meaning: 'The disk is full; nothing that was saved is lost.',
    fix: 'Free disk space, then run `charrette resume`. `charrette runs prune --keep 20` removes old runs.',
  },
  'store-locked': {
    exit: 1,
    meaning: 'Another process holds the embedded store, or works on the run.',
    fix: 'Wait for the process that the message names or follow its run with `charrette watch`, then try again.',
  },
  'store-corrupt': {
    exit: 1,
    meaning: 'The embedded store cannot be opened; a copy was kept.',
    fix: 'Run the same command again: a new store is made and `charrette resume` rebuilds the run from its folder.',
  },
  'store-unreachable': {
    exit: 1,
    meaning: 'The PostgreSQL server cannot be reached, or refuses.',
    fix: 'Check `CHARRETTE_DATABASE_URL`; without it the embedded store is used.',
  },
  'code-version-gone': {
    exit: 1,
    meaning: 'The run was started by another version of the workflow code.',
    fix: '`charrette design --from-run RUN "…"` starts from scratch and reuses finished answers.',
  },
  'consent-refused': {
    exit: 5,
    meaning: 'Consent to call the agents was refused.',
    fix: 'Nothing was called. Start again and agree, with `--yes` or with `consent` in the configuration.',
  },
  'isolated-phase-failed': {
    exit: 1,
    meaning: 'The worker process of `design --subagent` ended without a result.',
    fix: '`charrette show` has the reason. Run `charrette resume`, or start again without `--subagent`.',
  },
  'plan-invalid': {
    exit: 2,
    meaning: 'A plan file cannot be read as a plan.',
    fix: '`charrette plan show` prints a plan in the form that is read; the message names what differs.',
  },
  'tasks-invalid': {
    exit: 2,
    meaning: 'A file of tasks to compare holds none, or one that cannot be used.',
    fix: 'Write one feature per line, a Markdown list, or JSON as docs/how-to/compare.md has it.',
  },
  'manifest-invalid': {
    exit: 1,
    meaning: 'The manifest of a design is missing something or cannot be trusted.',
    fix: 'Run `charrette design --session-env FILE` again to write the manifest.',
  },
  'plan-drift': {
    exit: 8,
    meaning: 'Files of the plan have changed since it was made.',
    fix: '`charrette plan drift` lists what changed. Make the plan again, or continue with `--accept-drift`.',
  },
  'author-failed': {
    exit: 1,
    meaning: 'No agent gave a usable answer to a task the run cannot do without.',
    fix: '`charrette show` lists each attempt; choose another author with `--author`.',
  },
  'too-few-sketches': {
    exit: 1,
    meaning: 'Fewer usable sketches came back than a design needs.',
    fix: '`charrette show` lists each lane with its failure; `charrette doctor --probe` tests the agents.',
  },
  'no-reviews': {
    exit: 1,
    meaning: 'None of the reviewers of a plan gave a usable answer.',
    fix: '`charrette show` lists each lane with its failure. Fix the cause, then run `charrette resume`.',
  },
  'budget-used-up': {
    exit: 7,
    meaning: 'The limit on tokens or money was reached and the run was stopped there.',
    fix: '`charrette design --from-run RUN "…"` with a higher `--max-tokens` or `--max-usd` reuses every finished answer; the stopped run stays stopped.',
  },
  'archive-invalid': {
    exit: 2,
    meaning: 'An archive of a run cannot be read, or its run cannot continue here.',
    fix: 'Export the run again with `charrette runs export` where it is, or resume it there.',
  },
  'file-too-large': {
    exit: 2,
    meaning: 'A file is larger than the limit for its kind.',
    fix: 'Make the file smaller or split it.',
  },
  'json-invalid': {
    exit: 2,
    meaning: 'A JSON document cannot be parsed or has a wrong shape.',
    fix: 'Fix the file that the message names; a broken `run.json` can be restored from a backup or removed with `charrette runs rm`.',
  },
  'checks-failed': {
    exit: 6,
    meaning: 'The tests of the project fail, so the feature is not finished.',
    fix: 'Fix what the message names and finish again; `--no-checks` skips the tests.',
  },
  'artifact-missing': {
    exit: 4,
    meaning: 'An artifact that the call cannot do without is missing or empty.',
    fix: 'Complete the phases that write it (`charrette feature status` lists them), or write it yourself.',
  },
  DESIGN_IMPORT_NOT_FOUND: {
    exit: 4,
    meaning: 'The bundle to import does not exist or cannot be read.',
    fix: 'Check the name of the bundle and that it can be read.',
  },
  DESIGN_IMPORT_UNSUPPORTED_FORMAT: {
    exit: 2,
    meaning: 'The bundle is neither a whole ZIP archive nor HTML.',
    fix: 'Export the design again as a ZIP archive or as an HTML page.',
  },
  DESIGN_IMPORT_UNSUPPORTED_VERSION: {
    exit: 2,
    meaning: 'The format version of the bundle is not supported.',
    fix: 'Export the bundle in the format version that the message names.',
  },
  DESIGN_IMPORT_SECURITY_REJECT: {
    exit: 5,
    meaning: 'The bundle has entries that are not safe, or is not what it declares; nothing was written.',
    fix: 'Take the entries that the message names out of the bundle, or get it from a source that you trust.',
  },
  DESIGN_IMPORT_MISSING_MANIFEST: {
    exit: 2,
    meaning: 'The bundle has no manifest.json with a format version.',
    fix: 'Export the bundle again; manifest.json is at its top and names the format version.',
  },
  BRAND_DESIGN_MISSING_IDENTITY: {
    exit: 5,
    meaning: 'A brand file is missing or has a placeholder in it.',
    fix: 'Fill the brand file that the message names, or continue without brand with `--no-brand`.',
  },
  BRAND_DESIGN_CONFLICT: {
    exit: 5,
    meaning: 'Design tokens contradict the brand files.',
    fix: 'Make the tokens and the brand files agree; the brand files win.',
  },
  'pass-threshold-floor': {
    exit: 2,
    meaning: 'The pass threshold of a refinement is below 0.60.',
    fix: 'Set the threshold to 0.60 or more.',
  },
  'evaluator-leak': {
    exit: 1,
    meaning: 'The prompt of an evaluator carried traces of an earlier round.',
    fix: 'Remove mentions of earlier rounds from the brief or the profile, then run `charrette resume`.',
  },
  HRN_EVAL_MEMORY_FROZEN: {
    exit: 2,
    meaning: 'Evaluators cannot remember earlier rounds.',
    fix: 'Remove the setting: every evaluator starts without memory.',
  },
  BRIEF_SECTION_INCOMPLETE: {
    exit: 2,
    meaning: 'A brief lacks its goal, its audience or its brand.',
    fix: 'Write the sections ## Goal, ## Audience and ## Brand into the brief.',
  },
  'quota-used-up': {
    exit: 7,
    meaning: 'The accounts of the agents are used up.',
    fix: 'Run `charrette resume` after the reset, or add another agent with --agents.',
  },
  'workflow-not-found': {
    exit: 4,
    meaning: 'No workflow file has that name.',
    fix: 'Run `charrette workflow list` for the workflows of this project and your own.',
  },
  'workflow-ambiguous': {
    exit: 2,
    meaning: 'Two workflow files in one folder have the same name.',
    fix: 'Name the file by its path, or rename one of them.',
  },
  'workflow-syntax': {
    exit: 2,
    meaning: 'A workflow file cannot be parsed.',
    fix: 'Correct the line that the message names, then run `charrette workflow check FILE`.',
  },
  'workflow-meta': {
    exit: 2,
    meaning: 'The `meta` of a workflow file is missing or not valid.',
    fix: 'Begin the file with `export const meta = { name, description }`, in plain values.',
  },
  'workflow-forbidden': {
    exit: 2,
    meaning: 'A workflow file uses something that workflow files do not have.',
    fix: 'Do what the message says, then run `charrette workflow check FILE`.',
  },
  'workflow-args': {
    exit: 2,
    meaning: 'The arguments of a workflow cannot be read.',
    fix: 'Pass words, `--arg name=value`, or `--args` with JSON; not two of these together.',
  },
  'workflow-consent': {
    exit: 5,
    meaning: 'A workflow file was not allowed to run.',
    fix: 'Read it with `charrette workflow show NAME`, then allow its version with `--trust DIGEST`.',
  },
  'workflow-changed': {
    exit: 5,
    meaning: 'A workflow is not the version that was allowed.',
    fix: 'Run `charrette workflow show NAME` for its digest and read what changed.',
  },
  'workflow-limit': {
    exit: 1,
    meaning: 'A workflow file reached a limit: calls, items, budget, size, time or memory.',
    fix: 'Bound its loops and lists, or raise `--budget`.',
  },
  'workflow-failed': {
    exit: 1,
    meaning: 'A workflow file threw an error.',
    fix: 'Correct the line that the message names and start it again; `--from-run` reuses finished answers.',
  },
  'workflow-host': {
    exit: 1,
    meaning: 'The process that runs a workflow file ended or broke its protocol.',
    fix: 'Run `charrette resume`; if it happens again, check the file for what it keeps in memory.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;
