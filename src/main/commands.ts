import type { CommandGroup, CommandTable, LazyCommand, OpenObserver } from '../service/command.ts';

/** Exports traces of the runs of this process when a variable of OpenTelemetry is set. */
export const openObserver: OpenObserver = async (...run) =>
  Object.keys(run[0].env).some((name) => name.startsWith('OTEL_'))
    ? (await import('../surfaces/telemetry/telemetry.ts')).openTelemetry(...run)
    : { hear() {}, close: async () => undefined };

/** Every command that users type, as `charrette --help --all` lists them. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: 'Plan and build',
    commands: {
      design: {
        summary: 'Turn a feature request into one reviewed plan',
        everyday: true,
        load: async () => (await import('../surfaces/cli/design.ts')).command,
      },
      build: {
        summary: 'Plan and implement one task, then test and review the result',
        everyday: true,
        load: async () => (await import('../surfaces/cli/build.ts')).build,
      },
      review: {
        summary: 'Review a branch, uncommitted work, a plan or a document',
        everyday: true,
        load: async () => (await import('../surfaces/cli/review.ts')).command,
      },
      run: {
        summary: 'Run a workflow file with any agents, durably',
        everyday: true,
        load: async () => (await import('../surfaces/cli/run.ts')).command,
      },
      workflow: {
        summary: 'List, show, check and write workflow files',
        load: async () => (await import('../surfaces/cli/workflow.ts')).command,
      },
      feature: {
        summary: 'Take a feature from idea to code in phases with reviewers',
        load: async () => (await import('../surfaces/cli/feature.ts')).featureCommand,
      },
      plan: {
        summary: 'Check, show, compare, edit, export and import plans',
        load: async () => (await import('../surfaces/cli/plan.ts')).plan,
      },
      compare: {
        summary: 'Design the same features alone and with the panel; judge the plans blind',
        load: async () => (await import('../surfaces/cli/compare.ts')).command,
      },
      refine: {
        summary: 'Let a builder and a fresh evaluator take turns until a page passes',
        load: async () => (await import('../surfaces/cli/refine.ts')).command,
      },
      'lite-plan': {
        summary: 'Plan and implement one task (alias of `build`)',
        load: async () => (await import('../surfaces/cli/build.ts')).litePlan,
      },
      'lite-execute': {
        summary: 'Implement a plan, a file or a prompt (alias of `build --plan` and `--run`)',
        load: async () => (await import('../surfaces/cli/build.ts')).liteExecute,
      },
    },
  },
  {
    title: 'Follow runs',
    commands: {
      runs: {
        summary: 'List, export, import, prune and remove runs',
        everyday: true,
        load: async () => (await import('../surfaces/cli/runs.ts')).command,
      },
      show: {
        summary: 'Show a run: status, lanes, questions, artifacts, cost',
        everyday: true,
        load: async () => (await import('../surfaces/cli/show.ts')).command,
      },
      serve: {
        summary: 'Open the web page: every run, live, with its questions',
        everyday: true,
        load: async () => (await import('../surfaces/web/serve.ts')).serveCommand(commands),
      },
      watch: {
        summary: 'Follow a run of this or another process until it ends',
        load: async () => (await import('../surfaces/cli/watch.ts')).command,
      },
      report: {
        summary: 'Print a run as one page: result, how it came about, cost',
        load: async () => (await import('../surfaces/web/report.ts')).command,
      },
      costs: {
        summary: 'Show what runs cost by day, agent, model, command, phase or run',
        load: async () => (await import('../surfaces/cli/costs.ts')).command,
      },
      answer: {
        summary: 'Answer the questions of a run; a paused run continues',
        load: async () => (await import('../surfaces/cli/steer.ts')).answerCommand,
      },
      resume: {
        summary: 'Resume a run that paused, stopped, failed or was killed',
        load: async () => (await import('../surfaces/cli/steer.ts')).resumeCommand,
      },
      cancel: {
        summary: 'End a run permanently; its files stay',
        load: async () => (await import('../surfaces/cli/steer.ts')).cancelCommand,
      },
    },
  },
  {
    title: 'Set up',
    commands: {
      agents: {
        summary: 'List agents with their accounts, limits and record; retry a used-up one',
        load: async () => (await import('../surfaces/cli/agents.ts')).command,
      },
      doctor: {
        summary: 'Check agents, git, sandbox and store',
        everyday: true,
        load: async () => (await import('../surfaces/cli/doctor.ts')).command,
      },
      init: {
        summary: 'Set up a project, or update its set-up',
        load: async () => (await import('../surfaces/hosts/init.ts')).initCommand,
      },
      config: {
        summary: 'Show every setting and where it comes from',
        load: async () => (await import('../surfaces/cli/config.ts')).command,
      },
      completion: {
        summary: 'Print shell completion for bash, zsh or fish',
        load: async () => (await import('./completion.ts')).command,
      },
      worker: {
        summary: 'Take runs from the queue of a shared store',
        load: async () => (await import('../surfaces/cli/worker.ts')).command,
      },
    },
  },
  {
    title: 'Skills and prompts',
    commands: {
      skill: {
        summary: 'Create, check, convert and run workflow skills',
        load: async () => (await import('../surfaces/cli/skill.ts')).skill,
      },
      context: {
        summary: 'Print design documents as one block under a token budget',
        load: async () => (await import('../surfaces/cli/context.ts')).contextCommand,
      },
      prompt: {
        summary: 'Print the prompt that a role of a command receives',
        load: async () => (await import('../surfaces/cli/prompt.ts')).promptCommand,
      },
      tokens: {
        summary: 'Show what prompts cost, and what references and resuming save',
        load: async () => (await import('../surfaces/cli/tokens.ts')).tokensCommand,
      },
      import: {
        summary: 'Import a design bundle (ZIP or HTML) into the design folder',
        load: async () => (await import('../surfaces/cli/import.ts')).command,
      },
    },
  },
  {
    title: 'Connect programs',
    commands: {
      mcp: {
        summary: 'Serve runs, artifacts and checks as MCP tools on stdin and stdout',
        load: async () => (await import('../surfaces/mcp/mcp.ts')).command,
      },
      acp: {
        summary: 'Serve editors that speak ACP on stdin and stdout',
        load: async () => (await import('../surfaces/acp/acp.ts')).command,
      },
      hook: {
        summary: 'Answer an event of a coding agent, read from stdin',
        load: async () => (await import('../surfaces/hosts/hook.ts')).command,
      },
    },
  },
];

/** What `charrette` alone does in a repository. */
export const overview: LazyCommand = {
  summary: '',
  load: async () => (await import('../surfaces/cli/overview.ts')).command,
};

/** Started by the program itself. */
const internal: CommandTable = {
  'run-worker': {
    summary: '',
    load: async () => (await import('../surfaces/cli/run-worker.ts')).command,
  },
  'isolated-phase': {
    summary: '',
    load: async () => (await import('../surfaces/cli/isolated-phase.ts')).command,
  },
};

export const commands: CommandTable = Object.assign(
  {},
  ...commandGroups.map((group) => group.commands),
  internal,
);
