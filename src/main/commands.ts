import type { LazyCommand, OpenObserver } from '../service/command.ts';

/** Exports traces of the runs of this process. */
export const openObserver: OpenObserver = async (...run) =>
  (await import('../surfaces/telemetry/telemetry.ts')).openTelemetry(...run);

/** The table of commands. A module is loaded only when its command runs. */
export const commands: Readonly<Record<string, LazyCommand>> = {
  context: {
    summary: 'Design documents as one block under a token budget',
    load: async () => (await import('../surfaces/cli/context.ts')).contextCommand,
  },
  init: {
    summary: 'Set up a project, or bring its set-up to date',
    load: async () => (await import('../surfaces/hosts/init.ts')).initCommand,
  },
  skill: {
    summary: 'Build, check and protect workflow skills',
    load: async () => (await import('../surfaces/cli/skill.ts')).skill,
  },
  prompt: {
    summary: 'The prompt that a role of a command gets',
    load: async () => (await import('../surfaces/cli/prompt.ts')).promptCommand,
  },
  design: {
    summary: 'Several agents sketch, argue, plan, review and vote',
    load: async () => (await import('../surfaces/cli/design.ts')).command,
  },
  'lite-plan': {
    summary: 'Explore, clarify, plan, confirm and carry out one task',
    load: async () => (await import('../surfaces/cli/lite-plan.ts')).command,
  },
  'lite-execute': {
    summary: 'Carry out a plan, a file or a prompt; test and review the result',
    load: async () => (await import('../surfaces/cli/lite-execute.ts')).command,
  },
  import: {
    summary: 'Take a design bundle (ZIP or HTML) over into the design folder',
    load: async () => (await import('../surfaces/cli/import.ts')).command,
  },
  refine: {
    summary: 'A builder and a fresh evaluator in turn until a page passes',
    load: async () => (await import('../surfaces/cli/refine.ts')).command,
  },
  plan: {
    summary: 'Check, show, compare and edit plans',
    load: async () => (await import('../surfaces/cli/plan.ts')).plan,
  },
  runs: {
    summary: 'List, export, import, prune and remove runs',
    load: async () => (await import('../surfaces/cli/runs.ts')).command,
  },
  show: {
    summary: 'One run: status, lanes, questions, artifacts, cost',
    load: async () => (await import('../surfaces/cli/show.ts')).command,
  },
  watch: {
    summary: 'Follow a run of this or another process',
    load: async () => (await import('../surfaces/cli/watch.ts')).command,
  },
  answer: {
    summary: 'Answer the questions of a run',
    load: async () => (await import('../surfaces/cli/steer.ts')).answerCommand,
  },
  resume: {
    summary: 'Go on with a run that paused, stopped, failed or was killed',
    load: async () => (await import('../surfaces/cli/steer.ts')).resumeCommand,
  },
  cancel: {
    summary: 'End a run for good',
    load: async () => (await import('../surfaces/cli/steer.ts')).cancelCommand,
  },
  compare: {
    summary: 'Solo against panel on your own features: cost, coverage, blind verdicts',
    load: async () => (await import('../surfaces/cli/compare.ts')).command,
  },
  report: {
    summary: 'A run on one page: result, how it came about, cost',
    load: async () => (await import('../surfaces/web/report.ts')).command,
  },
  costs: {
    summary: 'What the runs cost: by day, agent, model, command, phase or run',
    load: async () => (await import('../surfaces/cli/costs.ts')).command,
  },
  doctor: {
    summary: 'Agents found and their health, jail, git, store',
    load: async () => (await import('../surfaces/cli/doctor.ts')).command,
  },
  config: {
    summary: 'Every setting and where it comes from',
    load: async () => (await import('../surfaces/cli/config.ts')).command,
  },
  serve: {
    summary: 'The web page: every run, live, with its questions',
    load: async () => (await import('../surfaces/web/serve.ts')).command,
  },
  worker: {
    summary: 'Take runs from the queue of a shared store',
    load: async () => (await import('../surfaces/cli/worker.ts')).command,
  },
  completion: {
    summary: 'Shell completion for bash, zsh and fish',
    load: async () => (await import('./completion.ts')).command,
  },
  mcp: {
    summary: 'An MCP server on stdin and stdout for coding agents',
    load: async () => (await import('../surfaces/mcp/mcp.ts')).command,
  },
  hook: {
    summary: 'Called by coding agents at their events',
    load: async () => (await import('../surfaces/hosts/hook.ts')).command,
  },
  acp: {
    summary: 'An agent on stdin and stdout for editors that speak ACP',
    load: async () => (await import('../surfaces/acp/acp.ts')).command,
  },
  tokens: {
    summary: 'What prompts cost, and what references and resuming save',
    load: async () => (await import('../surfaces/cli/tokens.ts')).tokensCommand,
  },
  // Started by the program itself.
  'run-worker': {
    summary: '',
    load: async () => (await import('../surfaces/cli/run-worker.ts')).command,
  },
  'isolated-phase': {
    summary: '',
    load: async () => (await import('../surfaces/cli/isolated-phase.ts')).command,
  },
  feature: {
    summary: 'A feature from idea to code: directory, state, phases',
    load: async () => (await import('../surfaces/cli/feature.ts')).featureCommand,
  },
};
